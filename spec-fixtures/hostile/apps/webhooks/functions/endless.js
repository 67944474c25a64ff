function endless() {
  for (;;) {}
}
