import fc from 'fast-check';
import { runTarget } from './run-target.js';
import { cpuMs } from './target.js';
import { FOUND, openTargets } from './targets.js';

/** `npm run fuzz`: targets by name, all where none is named, with a number of cases of each and a seed. */
const [casesText = '', seedText = '', ...names] = process.argv.slice(2);
const [cases, seed] = [Number(casesText), Number(seedText)];

fc.configureGlobal({ seed });
using targets = await openTargets();
const unknown = names.find((name) => targets.all.every((target) => target.name !== name));
if (unknown !== undefined) {
  console.error(`There is no target "${unknown}", but ${targets.all.map(({ name }) => name).join(', ')}.`);
  process.exitCode = 2;
} else {
  for (const target of targets.all) {
    if (names.length > 0 && !names.includes(target.name)) continue;
    const startedMs = cpuMs();
    try {
      for (const { input } of FOUND.filter((found) => found.target === target.name))
        await target.survive(input);
      await runTarget(target, cases);
      const tookMs = cpuMs() - startedMs;
      console.info(`${target.name}: ${cases} cases, ${(tookMs / cases).toFixed(3)} ms of a processor each`);
    } catch (error) {
      console.error(`${target.name}:`, error);
      process.exitCode = 1;
    }
  }
}
