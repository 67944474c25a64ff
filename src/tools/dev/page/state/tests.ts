import { computed, effect, signal } from '@preact/signals';
import type { ShownTest, TestsState } from '../../protocol.js';
import { get, post } from './api.js';
import { askInTurn, caughtUp, sayError, testsHeard } from './store.js';

/** Tests of the app; undefined before they were loaded. */
export const tests = signal<TestsState | undefined>(undefined);

export const failedTests = computed(
  () => tests.value?.tests.filter(({ status }) => status === 'failed').length ?? 0,
);

/** The first request runs them. */
const loadTests = askInTurn(async () => {
  tests.value = await get<TestsState>('tests');
});

effect(() => {
  if (caughtUp.value + testsHeard.value > 0) loadTests().catch(sayError);
});

/** Runs one test or all; results arrive as events. */
export function startTests(id?: string): void {
  post('tests/run', { id }).catch(sayError);
}

/** The test of a file; undefined if it is gone. */
export function findTest(id: string | undefined): ShownTest | undefined {
  return tests.value?.tests.find((test) => test.id === id);
}
