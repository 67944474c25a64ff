import { computed, effect, signal } from '@preact/signals';
import type { ShownTest, TestsState } from '../../protocol.js';
import { get, post } from './api.js';
import { askInTurn } from './ask-in-turn.js';
import { caughtUp, sayError, testsHeard } from './store.js';

/** The tests of the app as the server has them; undefined until it was asked. */
export const tests = signal<TestsState | undefined>(undefined);

export const failedTests = computed(
  () => tests.value?.tests.filter(({ status }) => status === 'failed').length ?? 0,
);

/** Asking for them the first time runs them. */
const loadTests = askInTurn(async () => {
  tests.value = await get<TestsState>('tests');
});

effect(() => {
  if (caughtUp.value + testsHeard.value > 0) loadTests().catch(sayError);
});

/** Runs one test, or all; the server tells of what becomes of them. */
export function startTests(id?: string): void {
  post('tests/run', { id }).catch(sayError);
}

/** The test of a file; undefined where the app has it no more. */
export function findTest(id: string | undefined): ShownTest | undefined {
  return tests.value?.tests.find((test) => test.id === id);
}
