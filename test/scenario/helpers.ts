import { AppError, type AppErrorType } from '../../src/index.js';
import type { FlowModule } from '../../src/scenario/index.js';

type ModuleInput = Parameters<FlowModule['run']>[0];

type Answer = readonly unknown[] | AppErrorType | undefined;

export interface TestModule extends FlowModule {
  readonly inputs: ModuleInput[];
  readonly log: string[];
}

/** A module whose function returns bundles, or the type of an error. */
export function moduleOf(
  answer: (input: ModuleInput, call: number) => Answer,
  more: Partial<FlowModule> = {},
): TestModule {
  const inputs: ModuleInput[] = [];
  const log: string[] = [];
  return {
    name: 'test',
    type: 'action',
    inputs,
    log,
    run: async (input) => {
      inputs.push(input);
      const given = answer(input, inputs.length);
      if (typeof given !== 'string') return { bundles: given ?? [], error: undefined };
      return { bundles: [], error: new AppError(given, `${given} happened.`) };
    },
    commit: async () => void log.push('commit'),
    rollback: async () => void log.push('rollback'),
    ...more,
  };
}

/** A first module that returns these bundles. */
export function source(...bundles: readonly unknown[]): TestModule {
  return moduleOf(() => bundles, { type: 'trigger' });
}
