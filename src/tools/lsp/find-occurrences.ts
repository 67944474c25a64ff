import type { Document } from '../../engine/document/document.js';
import type { Subject } from '../check/subject/subject.js';
import {
  findInForm,
  findInGroups,
  findInManifest,
  findInRequests,
  findInTemp,
  findInTexts,
} from './find-in-documents.js';
import { findInExpressions } from './find-in-expressions.js';
import { findInCode } from './function-code.js';
import { inData } from './owners.js';
import type { AppSymbol, Found, Occurrence } from './symbol.js';

/** The symbol at an offset of a file, or undefined. */
export function findSymbolAt(
  subject: Subject,
  manifest: Document | undefined,
  file: string,
  offset: number,
): AppSymbol | undefined {
  const all = listOccurrences(subject, manifest);
  return all.find(({ at }) => at.file === file && offset >= at.start && offset <= at.end)?.symbol;
}

/** All occurrences of a symbol, definition first. */
export function findOccurrences(
  subject: Subject,
  manifest: Document | undefined,
  symbol: AppSymbol,
): readonly Occurrence[] {
  return listOccurrences(subject, manifest)
    .filter(({ symbol: other }) => isSame(symbol, other))
    .map(({ at }) => at)
    .sort((a, b) => Number(b.isDefinition) - Number(a.isDefinition));
}

function isSame(a: AppSymbol, b: AppSymbol): boolean {
  return a.kind === b.kind && a.name === b.name && a.owner === b.owner;
}

function listOccurrences(subject: Subject, manifest: Document | undefined): readonly Found[] {
  return [
    ...(manifest === undefined ? [] : findInManifest(manifest)),
    ...subject.documents.flatMap((checked) => [
      ...findInTexts(checked),
      ...findInForm(checked),
      ...findInTemp(subject, checked),
      ...findInRequests(checked),
      ...inData(subject, checked),
    ]),
    ...findInGroups(subject),
    ...findInExpressions(subject),
    ...findInCode(subject),
  ];
}
