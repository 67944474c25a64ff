import { describe, it } from 'vitest';
import { evaluators } from '../fuzz/evaluators.js';
import { functions } from '../fuzz/functions.js';
import { runTarget } from '../fuzz/run-target.js';
import { portionsOf } from './portions.js';

describe('what fuzzing tries', () => {
  it.each(portionsOf(2_000, 50))('functions give what their description says, part %#', async (portion) => {
    await runTarget(functions, portion.numRuns, portion.seed);
  });

  it.each(portionsOf(400, 20))('evaluators give what their description says, part %#', async (portion) => {
    await runTarget(evaluators, portion.numRuns, portion.seed);
  });
});
