import { joinOutputs, type Page } from '../run/response/collect-outputs.js';
import { joinLists } from '../util/join-lists.js';

/**
 * What pages amount to where one value is wanted: a list of all items when iterated or where each page put out a list,
 * else the value; undefined where nothing was put out at all.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/output. [doc]; several
 * pages without iterate [inf].
 */
export function collectResult(pages: readonly Page[]): unknown {
  const outputs = joinOutputs(pages);
  if (pages.some((page) => page.isIterated)) return outputs;
  return outputs.length > 1 ? joinLists(outputs) : outputs[0];
}
