import { EngineError } from '../../../shared/errors/engine-error.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { fromPortable } from '../../../shared/portable-value.js';
import type { RunDetail } from '../protocol.js';
import type { History } from './history.js';

/** The redacted bundles of a run. @throws EngineError (USAGE) if they were too large to be stored as a whole */
export async function readRunBundles(
  { bundleList }: RunDetail,
  history: History,
): Promise<readonly unknown[]> {
  const stored = bundleList === undefined ? undefined : await history.body(bundleList.ref);
  const list = fromPortable(parseJson(stored?.text ?? '[]'));
  if (list !== undefined) return Array.isArray(list) ? list : [list];
  throw new EngineError(
    'USAGE',
    'The bundles of this run are too large to be stored as a whole. Run it with a smaller limit.',
  );
}

/** Number of events that are read to find the last request. */
const MAX_EVENTS = 20_000;

/** What a run sent: the JSON body of its last request, else its parameters. Redacted. */
export async function readRunInput(run: RunDetail, history: History): Promise<unknown> {
  const events = await history.events(run.id, -1, MAX_EVENTS);
  const request = events.findLast((event) => event.kind === 'request');
  const stored = request?.body === undefined ? undefined : await history.body(request.body.ref);
  const body = parseJson(stored?.text);
  return isPlainObject(body) ? body : fromPortable(run.input.parameters);
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
