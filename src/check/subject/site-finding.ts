import type { Finding } from '../finding.js';
import type { ExpressionSite } from './expression-site.js';

type PartialFinding = Omit<Finding, 'rule' | 'level'>;

/** A diagnostic at offsets of a template. */
export function findingAt(
  site: ExpressionSite,
  { start, end }: { readonly start: number; readonly end: number },
  message: string,
): PartialFinding {
  const from = site.offsetAt(start);
  const to = site.offsetAt(end);
  const length = from === undefined || to === undefined ? end - start : to - from;
  return { message, place: site.placeAt(start), length };
}

/** `findingAt` with a replacement. */
export function replacementAt(
  site: ExpressionSite,
  range: { readonly start: number; readonly end: number },
  { message, title, text }: { readonly message: string; readonly title: string; readonly text: string },
): PartialFinding {
  const finding = findingAt(site, range, message);
  const start = site.offsetAt(range.start);
  const end = site.offsetAt(range.end);
  const { file } = finding.place;
  if (file === undefined || start === undefined || end === undefined) return finding;
  // Quotes and backslashes are escaped in JSON.
  const written = JSON.stringify(text).slice(1, -1);
  return { ...finding, fix: { title, edits: [{ file, start, end, text: written }] } };
}
