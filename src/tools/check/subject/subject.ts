import type { ComponentKind } from '../../../engine/assembling/code-types.js';
import { APP_FUNCTION_NAMES } from '../../../engine/assembling/load-builtins.js';
import type { App } from '../../../engine/document/app.js';
import { holdsTemplates } from '../../../engine/document/document-shapes.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { type CheckedDocument, listDocuments } from './checked-document.js';
import { dryRunApp } from './dry-run-app.js';
import type { RunRefusal } from './dry-run-requests.js';
import { type ExpressionSite, listExpressions } from './expression-site.js';
import { dryRunScenarios, type ScenarioFile, type ScenarioRefusal } from './scenario-files.js';
import { type ComponentName, findUsedPart, type UsedPart } from './used-part.js';
import { holdsRequests, listRequests, type WrittenRequest } from './walk-requests.js';

/** An app for rules: documents, parsed expressions, and available names. */
export interface Subject {
  readonly app: App;
  /** The checked documents. */
  readonly documents: readonly CheckedDocument[];
  /** All documents: one may write what another reads. */
  readonly allDocuments: readonly CheckedDocument[];
  /** All documents of a component. */
  readonly documentsOf: (kind: ComponentKind, name: string) => readonly CheckedDocument[];
  /** The checked part; undefined for the whole app. */
  readonly part: UsedPart | undefined;
  /** All expressions of the checked documents. */
  readonly expressions: readonly ExpressionSite[];
  readonly expressionsIn: (document: CheckedDocument) => readonly ExpressionSite[];
  /** All requests of the checked documents. */
  readonly requests: readonly WrittenRequest[];
  readonly isFunction: (name: string) => boolean;
  readonly functionNames: readonly string[];
  /** Warnings of compiling the custom functions. */
  readonly functionWarnings: readonly FunctionWarning[];
  /** Reasons why a host refuses scenarios. */
  readonly scenarioRefusals: readonly ScenarioRefusal[];
  /** Reasons why runs fail; computed on first use. */
  readonly refusals: readonly RunRefusal[];
}

/** A warning about the code of a custom function. */
export interface FunctionWarning {
  readonly code: string;
  readonly message: string;
  readonly place: SourceLocation;
}

/** Additional input of a subject. */
export interface SubjectParts {
  readonly functionWarnings?: readonly FunctionWarning[];
  readonly scenarios?: readonly ScenarioFile[];
  /** Components of a run; others are not checked. Default: all. */
  readonly started?: readonly ComponentName[] | undefined;
}

/** Creates the subject of an app. Parses each template of the checked documents once. */
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

/** Functions of Make that this runtime lacks; calling them is not a mistake. [rt] */
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

/** Compiles the custom functions of an app in the sandbox and returns warnings. Runs none of them. */
export async function compileFunctions(app: App): Promise<readonly FunctionWarning[]> {
  const functions = [...app.functions.values()].filter(({ code }) => code !== undefined);
  if (functions.length === 0) return [];
  const { createSandbox } = await import('../../../engine/sandbox/create-sandbox.js');
  const sandbox = await createSandbox({ functions, builtins: {} });
  try {
    return sandbox.warnings;
  } finally {
    sandbox.close();
  }
}

/** Memoizes a lookup per app and key. */
export function createLookup<T>(): (subject: Subject, key: string, find: () => T) => T {
  const known = new WeakMap<Subject, Map<string, T>>();
  return (subject, key, find) => {
    const ofApp = known.get(subject) ?? new Map<string, T>();
    known.set(subject, ofApp);
    const found = ofApp.get(key) ?? find();
    ofApp.set(key, found);
    return found;
  };
}
