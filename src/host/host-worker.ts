/** Worker tasks of a host in a pool: webhook calls and flows. `pool-ports.ts` is the main-thread side. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Engine } from '../engine/create-engine.js';
import { jsonText } from '../engine/http/body/encode-body.js';
import type { AppSource, WorkerContext } from '../engine/pool/messages.js';
import { TASK_TRACING } from '../engine/pool/task-spans.js';
import type { PoolEngineOptions, PoolSetupContext } from '../engine/pool/worker-engines.js';
import { createBoundedCache } from '../shared/bounded-cache.js';
import { fromPortable } from '../shared/portable-value.js';
import { toPlainResponse } from '../shared/server/plain-request.js';
import { escapeUnsafe } from '../shared/text.js';
import { NO_SPAN, type Tracing } from '../shared/tracing.js';
import type { CarriedBundles, CarriedDraft, CarriedOutcome, FlowTask, ReceiveTask } from './pool-ports.js';
import type { FlowRequest, FlowSource, Flows, IncompleteDraft, PollProgress } from './ports.js';
import { createFlows } from './scenarios/scenario-flows.js';
import { toStored, writeStored } from './store/stored-value.js';
import type { EventRow, IncompleteRow, ScenarioRow } from './store/tables.js';

/** Setup module of a pool. Its `setupData` are the engine options. */
export default function setUp({ data }: PoolSetupContext): PoolEngineOptions {
  return Object(data);
}

/** Loads an app before its first call. */
export async function loadApp(source: AppSource, context: WorkerContext): Promise<void> {
  await context.engine(source);
}

/** Processes a webhook call. Returns bundles as text, so that the main thread parses nothing. */
export async function receiveCall(
  { source, webhook, call, parameters, stored }: ReceiveTask,
  context: WorkerContext,
): Promise<unknown> {
  const engine = await context.engine(source);
  const report = await engine.webhook(webhook).handle(call, {
    parameters,
    webhook: stored,
    connections: async (uid: string) => (await context.call('recipients', uid)) as readonly string[],
    signal: context.signal,
  });
  const { answer } = report;
  if (!report.ok) return { ok: false, answer, phase: report.phase, error: report.error.toJSON() };
  return {
    ok: true,
    answer,
    bundles: carryBundles(report.bundles),
    deliveries: report.deliveries?.map(({ recipients, bundles }) => ({
      recipients,
      bundles: carryBundles(bundles),
    })),
  };
}

function carryBundles(bundles: readonly unknown[]): CarriedBundles {
  return { text: writeStored(toStored(bundles)) ?? '[]', count: bundles.length };
}

interface RunningTask {
  readonly task: FlowTask;
  readonly context: WorkerContext;
}

/** The current task. A worker runs several tasks at a time with the same compiled flows. */
const running = new AsyncLocalStorage<RunningTask>();

function currentTask(): RunningTask {
  const current = running.getStore();
  if (current === undefined) throw new Error('No flow is running.');
  return current;
}

/** Runs one flow. */
export async function runFlow(task: FlowTask, context: WorkerContext): Promise<CarriedOutcome> {
  const names = Object.keys(task.sources);
  const engines: Record<string, Engine> = {};
  for (const name of names) engines[name] = await context.engine(task.sources[name] as AppSource);
  const flows = findFlows(engines, task.expressions);
  const answers: Promise<unknown>[] = [];
  const request = toRequest(task, context, answers);
  const outcome = await running.run({ task, context }, () => flows.run(request));
  await Promise.all(answers);
  const { incompletes, triggerState, progressState } = outcome;
  return {
    ...outcome,
    output: outcome.output,
    incompletes: incompletes.map(carryDraft),
    triggerState: writeStored(triggerState),
    progressState: writeStored(progressState),
  };
}

/** Maximum number of engine sets with compiled flows. */
const MAX_FLOWS = 32;

const known = createBoundedCache<{
  readonly engines: Readonly<Record<string, Engine>>;
  readonly flows: Flows;
}>(MAX_FLOWS);

/** Returns the compiled flows of these engines. Recreated engines of the same names replace older ones. */
function findFlows(engines: Readonly<Record<string, Engine>>, expressions: FlowTask['expressions']): Flows {
  const key = JSON.stringify([expressions, ...Object.keys(engines)]);
  const before = known.get(key);
  if (before !== undefined && Object.keys(engines).every((name) => before.engines[name] === engines[name])) {
    return before.flows;
  }
  const flows = createFlows({
    engines,
    expressions,
    tracing: STEPS,
    findSecrets: async () => (await currentTask().context.call('secrets')) as readonly string[],
    onReport: async (scenario, { bundles, completed }) => {
      const { task, context } = currentTask();
      if (!task.uses.bundles) return;
      const lines = (bundles ?? completed).map((bundle) =>
        escapeUnsafe(jsonText({ scenario, bundle }) ?? 'null'),
      );
      if (lines.length > 0) await context.call('bundles', lines);
    },
  });
  known.set(key, { engines, flows });
  return flows;
}

/** Applies the run deadline to each step and opens its span in the main thread. */
const STEPS: Tracing = {
  startSpan: (input) => {
    const { task, context } = currentTask();
    context.restartDeadline();
    return task.uses.spans ? TASK_TRACING.startSpan(input) : NO_SPAN;
  },
};

function toRequest(task: FlowTask, context: WorkerContext, answers: Promise<unknown>[]): FlowRequest {
  const { scenario, triggerState, source, room, uses } = task;
  return {
    // Flows read no other fields of a scenario.
    scenario: { ...scenario, triggerState: parse(triggerState) } as ScenarioRow,
    source: toSource(source),
    room,
    signal: context.signal,
    ...(uses.answer && {
      onAnswer: (answer: Response) => {
        answers.push(toPlainResponse(answer).then((plain) => context.call('answer', plain)));
      },
    }),
    ...(uses.progress && {
      onProgress: async ({ triggerState: state, incompletes }: PollProgress) =>
        void (await context.call('progress', writeStored(state), incompletes.map(carryDraft))),
    }),
  };
}

function toSource(source: FlowTask['source']): FlowSource {
  switch (source.kind) {
    case 'event':
      // Flows read only the bundles of an event.
      return { kind: 'event', bundles: readList(source.bundles), event: {} as EventRow };
    case 'poll':
      return source;
    case 'incomplete': {
      const { execution, bytes } = source;
      return { kind: 'incomplete', execution: parse(execution), incomplete: { bytes } as IncompleteRow };
    }
  }
}

function readList(text: string): readonly unknown[] {
  const bundles = fromPortable(JSON.parse(text));
  return Array.isArray(bundles) ? bundles : [];
}

function parse(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

function carryDraft({ execution, error, stored }: IncompleteDraft): CarriedDraft {
  return { execution: writeStored(execution) ?? 'null', error, stored };
}
