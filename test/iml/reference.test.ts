import { describe, it } from 'vitest';
import { evaluators } from '../fuzz/evaluators.js';
import { functions } from '../fuzz/functions.js';
import { runTarget } from '../fuzz/run-target.js';

describe('differential tests with the reference implementation', () => {
  it('functions return the documented results for random arguments', () => runTarget(functions, 2_000));

  it('the evaluator returns the results of the reference evaluator for random expressions', () =>
    runTarget(evaluators, 400));
});
