/* Intrinsics of <emmintrin.h>. */
#include <emmintrin.h>
#include <stdio.h>
static void show(const char *what, __m128i v) { unsigned x[4]; _mm_storeu_si128((__m128i *)x, v); printf("%s %08x %08x %08x %08x\n", what, x[0], x[1], x[2], x[3]); }
int main(void) {
  volatile int n = 3;
  __m128i a = _mm_set_epi32(n * 0x12345678, -n, 0x7fff8000, 0x00ff80 << n), b = _mm_setr_epi8(1, -3, 3, 4, 5, 127, 7, -128, 9, 10, 11, 12, 13, (char)200, 15, (char)n);
  show("eq", _mm_cmpeq_epi8(b, _mm_set1_epi8(3))); printf("%x %x\n", _mm_movemask_epi8(_mm_cmplt_epi8(b, _mm_set1_epi8(9))), _mm_movemask_pd(_mm_castsi128_pd(b)));
  show("packs", _mm_packs_epi16(a, b)); show("packus", _mm_packus_epi16(a, b)); show("packs32", _mm_packs_epi32(a, b)); show("madd", _mm_madd_epi16(a, b)); show("sad", _mm_sad_epu8(a, b));
  show("avg", _mm_avg_epu8(a, b)); show("avg16", _mm_avg_epu16(a, b)); show("mulhi", _mm_mulhi_epi16(a, b)); show("mulhiu", _mm_mulhi_epu16(a, b)); show("mullo", _mm_mullo_epi16(a, b)); show("mul", _mm_mul_epu32(a, b));
  show("sll", _mm_sll_epi16(a, _mm_cvtsi32_si128(n))); show("srl", _mm_srl_epi32(b, _mm_cvtsi32_si128(n + 40))); show("sra", _mm_sra_epi32(a, _mm_cvtsi32_si128(n + 40))); show("slli", _mm_slli_epi64(a, n)); show("srai", _mm_srai_epi16(b, n)); show("srli", _mm_srli_epi32(b, 3));
  show("bytes", _mm_slli_si128(b, 3)); show("bytes", _mm_srli_si128(b, 5)); show("adds", _mm_adds_epu8(a, b)); show("subs", _mm_subs_epi16(a, b)); show("shuffle", _mm_shuffle_epi32(b, 0x1b)); show("low", _mm_shufflelo_epi16(b, 0x1b)); show("min", _mm_min_epu8(a, b)); show("max", _mm_max_epi16(a, b));
  show("unpack", _mm_unpacklo_epi8(a, b)); show("unpack", _mm_unpackhi_epi16(a, b)); show("andnot", _mm_andnot_si128(a, b)); _mm_pause(); _mm_mfence(); _mm_lfence();
  return _mm_extract_epi16(_mm_insert_epi16(a, n, 5), 5) + _mm_cvtsi128_si32(b);
}
