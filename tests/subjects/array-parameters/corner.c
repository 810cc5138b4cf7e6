int corner(int grid[2][2], int row[3])
{
  return grid[1][1] - row[2];
}
