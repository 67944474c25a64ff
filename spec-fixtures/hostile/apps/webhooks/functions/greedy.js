function greedy() {
  const kept = [];
  for (;;) kept.push('x'.repeat(1000000) + kept.length);
}
