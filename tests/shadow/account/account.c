#include <assert.h>
#include <stdio.h>

static int balance;

void deposit(int a)
{
	if (a > 0) {
		puts("deposit");
	}
	balance = balance + a;
}

/* The number of withdrawals is a parameter. */
void withdraw(int a, int n)
{
	if (a > balance) {
		return;
	}
	if (n >= 5) {
		assert(0);
		return;
	}
	balance = balance - a;
}

int deposit_entry(int a)
{
	deposit(a);
	return balance;
}

int withdraw_entry(int a, int n)
{
	withdraw(a, n);
	return balance;
}
