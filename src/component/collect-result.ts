import { joinOutputs, type Page } from '../run/response/collect-outputs.js';
import { joinLists } from '../util/join-lists.js';

/**
 * Combines pages to one value: all items if iterated or if each page produced a list, else the value; undefined
 * without output. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/output. [doc]; several
 * pages without iterate [inf].
 */
export function collectResult(pages: readonly Page[]): unknown {
  const outputs = joinOutputs(pages);
  if (pages.some((page) => page.isIterated)) return outputs;
  return outputs.length > 1 ? joinLists(outputs) : outputs[0];
}
