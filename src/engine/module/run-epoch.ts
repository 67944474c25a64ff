import { isEmpty } from '../../language/values/value.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import { joinLists } from '../../shared/join-lists.js';
import { isPlainObject, ownMember } from '../../shared/plain-object.js';
import { reportCall } from '../component/call-report.js';
import type { RunInput } from '../component/check-and-connect.js';
import type { RunReport } from '../component/report.js';
import { moduleSubject, requireCommunication } from '../component/run-subject.js';
import type { Runtime } from '../component/runtime.js';
import type { ItemId, TriggerState } from '../component/trigger-data.js';
import type { ModuleComponent } from '../document/app.js';
import type { DirectiveContext } from '../document/compile-directive.js';
import { compileCommunication, compileRequest } from '../document/compile-request.js';
import type { CompiledRequest, CompiledTrigger } from '../document/compiled-request.js';
import { type Document, subDocument } from '../document/document.js';
import { mergeEpoch } from '../document/merge.js';
import { listBundles, type Page } from '../run/collect-outputs.js';
import { assertNoEndpoint } from '../run/endpoint-call.js';
import { collectPages } from '../run/page-source.js';
import { runCommunication } from '../run/run-communication.js';
import { type RunContext, throwIfAborted, warn, withPosition } from '../run/run-context.js';
import { compileTrigger, readItemKey, readTriggerType } from './compile-trigger.js';
import { startFromItem, type TriggerType } from './trigger-state.js';

/** An entry of the epoch panel. */
export interface EpochEntry {
  readonly label: unknown;
  /** Displayed date; undefined if absent. */
  readonly date: unknown;
  /** The complete output of the epoch. */
  readonly output: unknown;
  /** `trigger.id` of the item. */
  readonly id: ItemId;
  /** State of a trigger that starts with this item: `state` of its next run. */
  readonly state: TriggerState;
}

/** Content of an epoch panel. */
export interface EpochList {
  /** Outputs of the epoch. */
  readonly result: readonly unknown[];
  /** Outputs that a trigger can start with. Omits outputs without id and, for a trigger by date, without date. */
  readonly entries: readonly EpochEntry[];
  /** Type of the trigger: "since" and "from now on" apply to dates only. Undefined if unknown. */
  readonly type: TriggerType | undefined;
}

/** Report of an epoch. */
export type EpochReport = RunReport<EpochList>;

/**
 * Lists the choices for the start of a polling trigger: runs the epoch over the trigger's communication, in the order
 * of the API.
 *
 * @throws EngineError (USAGE) for a module that is not a trigger or has no epoch
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/epoch
 */
export async function listEpoch(
  module: ModuleComponent,
  input: RunInput,
  runtime: Runtime,
): Promise<EpochReport> {
  const { epoch } = module;
  if (module.type !== 'trigger' || epoch === undefined) {
    throw new EngineError('USAGE', `The module "${module.name}" has no epoch.`);
  }
  const work = async (context: RunContext): Promise<EpochList> => {
    const communication = requireCommunication(module);
    const directives = await runtime.directives(communication.value, epoch.value);
    const requests = compileEpoch(communication, epoch, runtime.app.base, directives);
    assertNoEndpoint(requests, 'A polling trigger', context);
    // The wrapper applies to bundles of the trigger and would hide the entries. [choice]
    const { pages, end } = await collectPages(runCommunication(requests, context, { wraps: false }));
    const last = requests.at(-1);
    const requestIndex = Math.max(0, requests.length - 1);
    const at = withPosition(end.context, { document: last?.document, requestIndex, page: 1 });
    const listed = last === undefined ? NOTHING : readEntries(pages, compileTrigger(last, at), at);
    const result = joinLists(pages.map((page) => listBundles(page)));
    warnOfLabels(result, at);
    return { result, ...listed };
  };
  return reportCall(runtime, input, { subject: () => moduleSubject(module), work });
}

const NOTHING: Omit<EpochList, 'result'> = { entries: [], type: undefined };

/** Compiles an epoch. In a chain it overrides the last request, which has the trigger. [choice] */
export function compileEpoch(
  communication: Document,
  epoch: Document,
  base: Document | undefined,
  context: DirectiveContext,
): readonly CompiledRequest[] {
  const { value } = communication;
  const last = Array.isArray(value) ? subDocument(communication, value.length - 1) : communication;
  const merged = compileRequest(mergeEpoch(last, epoch), base, context);
  if (!Array.isArray(value)) return [merged];
  return [...compileCommunication(communication, base, context).slice(0, -1), merged];
}

function readEntries(
  pages: readonly Page[],
  trigger: CompiledTrigger,
  context: RunContext,
): Omit<EpochList, 'result'> {
  const type = readTriggerType(trigger, context);
  if (type === undefined) return NOTHING;
  const entries: EpochEntry[] = [];
  for (const { keys, outputs } of pages) {
    for (const [index, key] of keys.entries()) {
      throwIfAborted(context);
      const item = readItemKey(key, index, { trigger, type }, context);
      const output = outputs[index];
      const [label, date] = ['label', 'date'].map((name) =>
        isPlainObject(output) ? ownMember(output, name) : undefined,
      );
      if (item !== undefined)
        entries.push({ label, date, output, id: item.id, state: startFromItem(item, type) });
    }
  }
  return { entries, type };
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/epoch: the output must hold label and date. [doc][src]
 */
function warnOfLabels(outputs: readonly unknown[], context: RunContext): void {
  if (outputs.every((output) => isPlainObject(output) && !isEmpty(ownMember(output, 'label')))) return;
  const message = 'Some outputs of the epoch have no label.';
  warn(
    { code: 'epoch-label', message, place: context.position.document?.locationOf('/response/output') },
    context,
  );
}
