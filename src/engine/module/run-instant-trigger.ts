import { isPlainObject } from '../../shared/plain-object.js';
import { beginRun, type ConnectedInput } from '../component/check-and-connect.js';
import { ModuleRun } from '../component/module-run.js';
import { moduleSubject } from '../component/run-subject.js';
import type { Runtime } from '../component/runtime.js';
import type { ModuleComponent } from '../document/app.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledRequest } from '../document/compiled-request.js';
import type { Document } from '../document/document.js';
import { pageOfBundles } from '../run/collect-outputs.js';
import { assertNoEndpoint } from '../run/endpoint-call.js';
import { runError } from '../run/evaluate-directive.js';
import { prefetch } from '../run/page-source.js';
import { runCommunication } from '../run/run-communication.js';
import { type RunContext, warn } from '../run/run-context.js';

/**
 * Runs an instant trigger for one webhook item, `input.payload`. Without a communication, or with an empty one, the item
 * is the bundle; else a single request may fetch more, which `iterate` and `pagination` are not part of: they are
 * ignored with a warning.
 *
 * @see https://developers.make.com/custom-apps-documentation/app-components/modules/instant-trigger
 */
export function runInstantTrigger(
  module: ModuleComponent,
  input: ConnectedInput,
  runtime: Runtime,
): ModuleRun {
  const { communication } = module;
  return new ModuleRun({
    start: async () => beginRun(runtime, input, moduleSubject(module)),
    pages: async (context, isStreamed) => {
      if (communication === undefined || isEmptySpec(communication.value)) {
        const { payload } = input;
        return payload === undefined || payload === null ? [] : [pageOfBundles([payload])];
      }
      const request = readSingleRequest(await runtime.compile(communication), communication, context);
      if (request === undefined) return [];
      const pages = runCommunication([singleRequest(request, context)], context);
      return isStreamed ? prefetch(pages) : pages;
    },
  });
}

/** An array of nothing but empty objects says as little as an empty object. */
export function isEmptySpec(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((element) => isEmptySpec(element));
  return value === null || (isPlainObject(value) && Object.keys(value).length === 0);
}

/**
 * The one request of an instant trigger. Which of several would count is not documented, so none is run by guess. [choice]
 *
 * @throws AppError of type InvalidConfigurationError for several, and for one that calls an endpoint
 */
export function readSingleRequest(
  [request, second]: readonly CompiledRequest[],
  communication: Document,
  context: RunContext,
): CompiledRequest | undefined {
  if (request !== undefined) assertNoEndpoint([request], 'An instant trigger', context);
  if (second === undefined) return request;
  const message = 'An instant trigger makes a single request, and its communication holds several.';
  throw runError('InvalidConfigurationError', message, context, { place: communication.locationOf('/1') });
}

/**
 * Source: https://developers.make.com/custom-apps-documentation/app-components/modules/instant-trigger. [doc]; a static request
 * without output gives the item [choice].
 */
function singleRequest(request: CompiledRequest, context: RunContext): CompiledRequest {
  const { response, document } = request;
  const ignored: readonly [name: string, pointer: string | undefined][] = [
    ['iterate', response.iterate?.container.pointer],
    ['pagination', request.pagination?.pointer],
  ];
  for (const [name, pointer] of ignored) {
    if (pointer === undefined) continue;
    const message = `${name} is ignored: an instant trigger handles one webhook item at a time.`;
    warn({ code: 'directive-ignored', message, place: document.locationOf(pointer) }, context);
  }
  const output = response.output ?? (request.isStatic ? PAYLOAD : undefined);
  return { ...request, pagination: undefined, response: { ...response, iterate: undefined, output } };
}

const PAYLOAD: Directive = {
  evaluate: (scope) => scope['payload'],
  pointer: '/response/output',
  raw: '{{payload}}',
};
