import type { Subject } from '../check/subject/subject.js';
import { isKeptByOthers } from './symbols/connection-members.js';
import type { AppSymbol, Occurrence } from './symbols/symbol.js';

/** Renamable kinds with valid names. Modules and connections have IDs in Make. */
const NAMES: Readonly<Partial<Record<AppSymbol['kind'], RegExp>>> = {
  rpc: /^[A-Za-z][A-Za-z0-9]*$/,
  function: /^[A-Za-z_$][\w$]*$/,
  parameter: /^[A-Za-z_][\w-]*$/,
  temp: /^[A-Za-z_]\w*$/,
  data: /^[A-Za-z_]\w*$/,
};

/**
 * Why a symbol cannot be renamed, as a sentence; undefined if it can.
 *
 * @param newName undefined before the user typed it
 */
export function refuseRename(
  subject: Subject,
  symbol: AppSymbol,
  found: readonly Occurrence[],
  newName?: string,
): string | undefined {
  const pattern = NAMES[symbol.kind];
  if (pattern === undefined) return `A ${symbol.kind} keeps its name: the platform knows it by that.`;
  if (!found.some(({ isDefinition }) => isDefinition))
    return `"${symbol.name}" is declared nowhere it could be renamed.`;
  if (isNamedByFile(symbol) && !found.some(({ isDefinition, file }) => isDefinition && !file.endsWith('.js')))
    return `"${symbol.name}" has its name from its folder, as no manifest names it: rename the folder.`;
  if (symbol.owner?.startsWith('connection ') === true && isKeptByOthers(subject, symbol))
    return `Several connections keep "${symbol.name}", and modules read it of the one they run with: rename it by hand.`;
  if (newName === undefined || newName === symbol.name) return undefined;
  if (!pattern.test(newName)) return `"${newName}" is no name a ${symbol.kind} can have.`;
  return isTaken(subject, symbol, newName) ? `There is a ${symbol.kind} "${newName}" already.` : undefined;
}

function isNamedByFile({ kind }: AppSymbol): boolean {
  return kind === 'rpc' || kind === 'function';
}

function isTaken({ app }: Subject, { kind }: AppSymbol, name: string): boolean {
  if (kind === 'rpc') return app.rpcs.has(name);
  return kind === 'function' && app.functions.has(name);
}
