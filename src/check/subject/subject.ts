import type { App } from '../../document/app.js';
import { holdsTemplates } from '../../document/shapes/document-shapes.js';
import type { Place } from '../../errors/place.js';
import { FUNCTIONS } from '../../iml/functions/table.js';
import type { RunRefusal } from '../rehearsal/rehearsal.js';
import { rehearseApp } from '../rehearsal/rehearse-app.js';
import { type CheckedDocument, listDocuments } from './checked-document.js';
import { type ExpressionSite, listExpressions } from './expression-site.js';
import { rehearseScenarios, type ScenarioFile, type ScenarioRefusal } from './scenario-files.js';

/** An app as rules see it: its documents, the parsed texts in them, and the names an expression can use. */
export interface Subject {
  readonly app: App;
  readonly documents: readonly CheckedDocument[];
  /** Every text that is evaluated, in all documents. */
  readonly expressions: readonly ExpressionSite[];
  readonly expressionsIn: (document: CheckedDocument) => readonly ExpressionSite[];
  readonly isFunction: (name: string) => boolean;
  readonly functionNames: readonly string[];
  /** What compiling the custom functions told. */
  readonly functionWarnings: readonly FunctionWarning[];
  /** What a host would refuse the app's scenarios for. */
  readonly scenarioRefusals: readonly ScenarioRefusal[];
  /** What runs would be refused for; looked for when it is first asked for. */
  readonly refusals: readonly RunRefusal[];
}

/** Something about the code of a custom function. */
export interface FunctionWarning {
  readonly code: string;
  readonly message: string;
  readonly place: Place;
}

/** Takes an app apart for rules. Every template is parsed once. */
export function createSubject(
  app: App,
  functionWarnings: readonly FunctionWarning[] = [],
  scenarios: readonly ScenarioFile[] = [],
): Subject {
  const documents = listDocuments(app);
  const sites = new Map(
    documents
      .filter(({ kind }) => holdsTemplates(kind))
      .map((document) => [document, listExpressions(document)]),
  );
  const functionNames = [...new Set([...Object.keys(FUNCTIONS), ...app.functions.keys()])];
  const known = new Set(functionNames);
  let refusals: readonly RunRefusal[] | undefined;
  return {
    app,
    documents,
    expressions: [...sites.values()].flat(),
    expressionsIn: (document) => sites.get(document) ?? [],
    isFunction: (name) => known.has(name),
    functionNames,
    functionWarnings,
    scenarioRefusals: rehearseScenarios(app, scenarios),
    get refusals() {
      refusals ??= rehearseApp(app);
      return refusals;
    },
  };
}
