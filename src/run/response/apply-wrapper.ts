import type { CompiledRequest } from '../../document/compile/compiled-request.js';
import { evaluateDirective } from '../scope/evaluate-directive.js';
import type { RunContext } from '../scope/run-context.js';
import { joinOutputs, type Page, singlePage } from './collect-outputs.js';

/** What `wrapper` makes of all pages of a request: it sees a list where they were iterated or are several, else their one output. */
export function wrapPages(request: CompiledRequest, pages: readonly Page[], context: RunContext): Page {
  const outputs = joinOutputs(pages);
  const isList = request.response.iterate !== undefined || outputs.length > 1;
  return applyWrapper(request, isList ? outputs : outputs[0], context);
}

/** `wrapper` runs once, over the outputs of all pages; nothing comes after it. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/wrapper [doc] */
export function applyWrapper(request: CompiledRequest, output: unknown, context: RunContext): Page {
  const at = context.at({ document: request.document, page: 1 }).seeing({ output });
  return singlePage(evaluateDirective(request.response.wrapper, at));
}
