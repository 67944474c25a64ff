/**
 * Milliseconds of processor time that work takes. For bounds on what a call may cost: unlike a clock, it does not count
 * what other processes do meanwhile.
 */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
