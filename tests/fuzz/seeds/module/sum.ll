@table = internal global [4 x i32] [i32 1, i32 2, i32 3, i32 undef], align 4
@name = private constant [3 x i8] c"ab\00"

declare i32 @printf(ptr, ...)

define i32 @main(i32 %argc, ptr %argv) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ %argc, %entry ], [ %more, %loop ]
  %at = getelementptr inbounds [4 x i32], ptr @table, i64 0, i64 %i
  %x = load i32, ptr %at, align 4
  %more = add nsw i32 %sum, %x
  %next = add nuw i64 %i, 1
  %last = icmp ult i64 %next, 3
  br i1 %last, label %loop, label %out

out:
  %pair = insertvalue { i32, i8 } { i32 0, i8 7 }, i32 %more, 0
  %first = extractvalue { i32, i8 } %pair, 0
  %wide = sext i32 %first to i128
  %low = trunc i128 %wide to i32
  %vector = insertelement <4 x i32> zeroinitializer, i32 %low, i32 2
  %shuffled = shufflevector <4 x i32> %vector, <4 x i32> poison, <4 x i32> <i32 2, i32 2, i32 0, i32 poison>
  %element = extractelement <4 x i32> %shuffled, i32 1
  switch i32 %element, label %end [
    i32 1, label %end
    i32 2, label %print
  ]

print:
  %printed = call i32 (ptr, ...) @printf(ptr @name, i32 %low, double 1.5)
  br label %end

end:
  ret i32 %low
}
