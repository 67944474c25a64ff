import type { ComponentKind } from '../../app/assembling/code-types.js';
import { APP_FUNCTION_NAMES } from '../../app/engine/load-builtins.js';
import type { App } from '../../document/app.js';
import { holdsTemplates } from '../../document/shapes/document-shapes.js';
import type { SourceLocation } from '../../errors/source-location.js';
import { dryRunApp } from '../dry-run/dry-run-app.js';
import type { RunRefusal } from '../dry-run/dry-run-requests.js';
import { type CheckedDocument, listDocuments } from './checked-document.js';
import { type ExpressionSite, listExpressions } from './expression-site.js';
import { dryRunScenarios, type ScenarioFile, type ScenarioRefusal } from './scenario-files.js';
import { type ComponentName, findUsedPart, type UsedPart } from './used-part.js';
import { holdsRequests, listRequests, type WrittenRequest } from './walk-requests.js';

/** An app as rules see it: its documents, the parsed texts in them, and the names an expression can use. */
export interface Subject {
  readonly app: App;
  /** The documents that are looked at. */
  readonly documents: readonly CheckedDocument[];
  /** Those of the whole app: what one of them reads another may write. */
  readonly allDocuments: readonly CheckedDocument[];
  /** Those of one component, whether they are looked at or not. */
  readonly documentsOf: (kind: ComponentKind, name: string) => readonly CheckedDocument[];
  /** What is looked at, where it is not all. */
  readonly part: UsedPart | undefined;
  /** Every text that is evaluated, in the documents that are looked at. */
  readonly expressions: readonly ExpressionSite[];
  readonly expressionsIn: (document: CheckedDocument) => readonly ExpressionSite[];
  /** Every request that is written in the documents that are looked at. */
  readonly requests: readonly WrittenRequest[];
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
  readonly place: SourceLocation;
}

/** What an app is looked at together with. */
export interface SubjectParts {
  readonly functionWarnings?: readonly FunctionWarning[];
  readonly scenarios?: readonly ScenarioFile[];
  /** Components that are to run: what their runs do not use is not looked at. Default: the whole app is. */
  readonly started?: readonly ComponentName[] | undefined;
}

/** Takes an app apart for rules. Every template is parsed once, those of parts that are not looked at never. */
export function createSubject(
  app: App,
  { functionWarnings = [], scenarios = [], started }: SubjectParts = {},
): Subject {
  const allDocuments = listDocuments(app);
  const sites = new Map<CheckedDocument, readonly ExpressionSite[]>();
  const expressionsIn = (document: CheckedDocument): readonly ExpressionSite[] => {
    let found = sites.get(document);
    if (found === undefined) {
      found = holdsTemplates(document.kind) ? listExpressions(document) : [];
      sites.set(document, found);
    }
    return found;
  };
  const documentsOf = indexByOwner(allDocuments);
  const part = started && findUsedPart(app, { all: allDocuments, documentsOf, expressionsIn }, started);
  const documents = part?.documents ?? allDocuments;
  const functionNames = [...new Set([...APP_FUNCTION_NAMES, ...app.functions.keys()])];
  const known = new Set([...functionNames, ...MAKE_ONLY_FUNCTIONS]);
  let refusals: readonly RunRefusal[] | undefined;
  return {
    app,
    documents,
    allDocuments,
    documentsOf,
    part,
    expressions: documents.flatMap(expressionsIn),
    expressionsIn,
    requests: documents.filter(holdsRequests).flatMap(listRequests),
    isFunction: (name) => known.has(name),
    functionNames,
    functionWarnings,
    scenarioRefusals: dryRunScenarios(app, scenarios),
    get refusals() {
      refusals ??= dryRunApp(app, part?.has);
      return refusals;
    },
  };
}

/** Functions that apps of Make call and this runtime lacks: they are no mistake of the author. [rt] */
const MAKE_ONLY_FUNCTIONS = ['toDataStructure', 'safeSerialize', 'getFieldMapping'] as const;

function indexByOwner(documents: readonly CheckedDocument[]): Subject['documentsOf'] {
  const index = new Map<string, CheckedDocument[]>();
  for (const checked of documents) {
    if (checked.owner === undefined) continue;
    const key = `${checked.owner.kind} ${checked.owner.name}`;
    const ofOwner = index.get(key);
    if (ofOwner === undefined) index.set(key, [checked]);
    else ofOwner.push(checked);
  }
  return (kind, name) => index.get(`${kind} ${name}`) ?? [];
}
