import type { ModuleComponent } from '../../../engine/document/app.js';
import type { ComponentKind } from '../../../engine/loading/code-types.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, readAt } from '../../../shared/plain-object.js';
import type { ExpressionSite } from './expression-site.js';
import type { Subject } from './subject.js';
import { inheritsBase, listRequests, pointerTo, type WrittenRequest } from './walk-requests.js';

/** The modules of the checked part of an app. */
export function listModules({ app, part }: Subject): readonly ModuleComponent[] {
  return [...app.modules.values()].filter(({ name }) => part?.has('module', name) !== false);
}

/** A location for a diagnostic about a whole module. */
export function locateModule(module: ModuleComponent): SourceLocation {
  const { communication, mappableParams, staticParams, interface: fields } = module;
  return (communication ?? mappableParams ?? staticParams ?? fields)?.locationOf('') ?? {};
}

/** The requests of the communication of a component, or of another part of it. */
export function requestsOf(
  subject: Subject,
  kind: ComponentKind,
  name: string,
  part = 'communication',
): readonly WrittenRequest[] {
  return subject
    .documentsOf(kind, name)
    .filter((checked) => checked.part === part)
    .flatMap(listRequests);
}

/** A directive of a request, or the one of the base that it inherits. */
export function readInherited(
  subject: Subject,
  request: WrittenRequest,
  ...path: readonly string[]
): unknown {
  const own = readAt(request.value, ...path);
  if (own !== undefined || !inheritsBase(request.in)) return own;
  return readAt(subject.app.base?.value, ...path);
}

/** The expressions of a directive of a request. */
export function sitesIn(
  subject: Subject,
  request: WrittenRequest,
  ...path: readonly string[]
): readonly ExpressionSite[] {
  const pointer = pointerTo(request, ...path);
  return subject
    .expressionsIn(request.in)
    .filter((site) => site.pointer === pointer || site.pointer.startsWith(`${pointer}/`));
}

/** Whether an expression reads a path: `reads(site, 'parameters', 'limit')`. */
export function reads(site: ExpressionSite, root: string, member?: string): boolean {
  return site.paths.some(
    (path) => path.root.name === root && (member === undefined || path.members[0]?.name === member),
  );
}

/** A text of a field or component; empty without one. */
export function textOf(owner: object, name: string): string {
  const value = ownMember(owner, name);
  return typeof value === 'string' ? value.trim() : '';
}

/** Whether a list or object has no content. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isPlainObject(value) && Object.keys(value).length === 0;
}
