#include <assert.h>
#include <stdio.h>

static int balance;
static int withdrawals;

static void deposit(int a)
{
	if (a > 0) {
		puts("deposit");
	}
	balance = balance + a;
}

static void withdraw(int a)
{
	if (a > balance) {
		return;
	}
	if (withdrawals >= 5) {
		assert(0);
		return;
	}
	balance = balance - a;
	withdrawals = withdrawals + 1;
}

static int flag(int x)
{
	if (x) {
		return 1;
	} else {
		return 0;
	}
}

int test(int x, int w, int d)
{
	for (int i = 0; i < 2; i++) {
		switch (flag(x)) {
		case 0:
			deposit(d);
			break;
		case 1:
			withdraw(w);
			break;
		}
	}
	return balance;
}
