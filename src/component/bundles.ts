import type { Page } from '../run/response/collect-outputs.js';

/** One unit of data a module puts out. Usually a collection, but an app may output anything except nothing. */
export type Bundle = unknown;

/**
 * The bundles of a page: one an item when iterated, else one, or one an element where the single output is a list.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/output. [doc][inf]
 */
export function listBundles(page: Page): readonly Bundle[] {
  if (page.isIterated) return page.outputs;
  return page.outputs.flat().filter((output) => output !== undefined && output !== null);
}
