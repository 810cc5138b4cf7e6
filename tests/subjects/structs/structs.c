struct point { short x, y; };
union bits { float f; unsigned u; };

static struct point turn(struct point p)
{
	struct point q = { -p.y, p.x };
	return q;
}

int entry(short x, short y)
{
	struct point p = { x, y };
	p = turn(turn(p));
	return p.x * 3 + p.y;
}
