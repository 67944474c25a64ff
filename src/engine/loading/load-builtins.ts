import type { FunctionTable } from '../../language/environment.js';
import { FUNCTION_GROUPS, type FunctionGroup } from '../../language/functions/function-groups.js';

/** Functions of apps that are not part of the language; see `APP_FUNCTIONS`. */
const XML: FunctionGroup = {
  names: ['parseXML', 'createXML'],
  load: () => import('../http/body/xml.js').then(({ XML_FUNCTIONS }) => XML_FUNCTIONS),
};
const ALL: readonly FunctionGroup[] = [...FUNCTION_GROUPS, XML];

const GROUP_OF: ReadonlyMap<string, FunctionGroup> = new Map(
  ALL.flatMap((group) => group.names.map((name) => [name, group])),
);

/** Names of the functions that every app has: those of `APP_FUNCTIONS`, without loading them. */
export const APP_FUNCTION_NAMES: ReadonlySet<string> = new Set(GROUP_OF.keys());

/** Cache of tables by their groups, because most apps call the same few. */
const TABLES = new Map<string, Promise<FunctionTable>>();

/**
 * Loads the groups of the called functions. An unknown name loads all groups, because its error suggests the most similar
 * name.
 */
export function loadBuiltins(called: Iterable<string>): Promise<FunctionTable> {
  const groups = new Set<FunctionGroup>();
  for (const name of called) {
    const group = GROUP_OF.get(name);
    if (group === undefined) return loadAllBuiltins();
    groups.add(group);
  }
  return loadTable(ALL.filter((group) => groups.has(group)));
}

/** Loads the functions that every app has. */
export function loadAllBuiltins(): Promise<FunctionTable> {
  return loadTable(ALL);
}

function loadTable(groups: readonly FunctionGroup[]): Promise<FunctionTable> {
  const key = groups.map(({ names }) => names[0]).join();
  const table = TABLES.get(key) ?? joinGroups(groups);
  TABLES.set(key, table);
  return table;
}

async function joinGroups(groups: readonly FunctionGroup[]): Promise<FunctionTable> {
  return Object.assign({}, ...(await Promise.all(groups.map(({ load }) => load()))));
}
