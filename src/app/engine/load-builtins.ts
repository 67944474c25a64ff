import type { FunctionTable } from '../../iml/environment/environment.js';
import { PANELS, type Panel } from '../../iml/functions/panels.js';

/** What apps have besides the language: see `APP_FUNCTIONS`. */
const XML: Panel = {
  names: ['parseXML', 'createXML'],
  load: () => import('../../http/body/xml-functions.js').then(({ XML_FUNCTIONS }) => XML_FUNCTIONS),
};
const ALL: readonly Panel[] = [...PANELS, XML];

const PANEL_OF: ReadonlyMap<string, Panel> = new Map(
  ALL.flatMap((panel) => panel.names.map((name) => [name, panel])),
);

/** The names of all functions every app has: those of `APP_FUNCTIONS`, without loading them. */
export const APP_FUNCTION_NAMES: ReadonlySet<string> = new Set(PANEL_OF.keys());

/** Tables by the panels in them, as most apps call the same few. */
const TABLES = new Map<string, Promise<FunctionTable>>();

/**
 * Loads the functions every app has, as far as some are called: those of the same panels come along. A name that none of them has
 * loads them all, as the error that tells of it names the nearest.
 */
export function loadBuiltins(called: Iterable<string>): Promise<FunctionTable> {
  const panels = new Set<Panel>();
  for (const name of called) {
    const panel = PANEL_OF.get(name);
    if (panel === undefined) return loadAllBuiltins();
    panels.add(panel);
  }
  return loadTable(ALL.filter((panel) => panels.has(panel)));
}

/** Loads all functions every app has. */
export function loadAllBuiltins(): Promise<FunctionTable> {
  return loadTable(ALL);
}

function loadTable(panels: readonly Panel[]): Promise<FunctionTable> {
  const key = panels.map(({ names }) => names[0]).join();
  const table = TABLES.get(key) ?? joinPanels(panels);
  TABLES.set(key, table);
  return table;
}

async function joinPanels(panels: readonly Panel[]): Promise<FunctionTable> {
  return Object.assign({}, ...(await Promise.all(panels.map(({ load }) => load()))));
}
