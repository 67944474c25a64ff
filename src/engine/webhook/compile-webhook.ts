import { compileTemplate } from '../../language/compile/compile-template.js';
import { safeParseTemplate } from '../../language/syntax/parser.js';
import { listNodes, listPaths } from '../../language/syntax/walk-expression.js';
import { AppError } from '../../shared/errors/app-error.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { sameText } from '../../shared/text.js';
import { compileDirective, type Directive, type DirectiveContext } from '../document/compile-directive.js';
import {
  type CompiledRespond,
  compileCondition,
  compileIterate,
  compileRespond,
} from '../document/compile-request.js';
import type { CompiledCondition, CompiledIterate } from '../document/compiled-request.js';
import { createDocument, type Document, subDocument } from '../document/document.js';

/** The specification of a webhook, ready to run. Field names are the directives'. */
export interface CompiledWebhook {
  /** The document to which the JSON pointers of the directives refer. */
  readonly document: Document;
  readonly verification: CompiledVerification | undefined;
  readonly condition: CompiledCondition | undefined;
  readonly uid: Directive | undefined;
  readonly iterate: CompiledIterate | undefined;
  readonly output: Directive | undefined;
  /** Undefined: the sender gets the default response. */
  readonly respond: CompiledRespond | undefined;
  /** The paths that the condition reads. */
  readonly conditionPaths: () => readonly ConditionPath[];
}

export interface CompiledVerification {
  readonly condition: Directive | undefined;
  readonly respond: CompiledRespond | undefined;
}

/**
 * Makes the specification of a webhook ready. It takes nothing from the base, as it is no request.
 *
 * In its expressions `=` and `!=` compare texts in constant time: `{{sha256(...) = headers.x-signature}}` is how an
 * app checks who sent an event, on the platform as here.
 *
 * @param communication undefined counts as `{}`, and a list of one as its element
 * @throws SpecError (SPEC_INVALID) for what is no object; AppError of type InvalidConfigurationError for a call of an
 *   endpoint
 * @see https://developers.make.com/custom-apps-documentation/app-components/webhooks
 */
export function compileWebhook(
  communication: Document | undefined,
  directives: DirectiveContext,
): CompiledWebhook {
  const document = unwrapElement(communication ?? createDocument({}));
  const spec = document.value;
  if (!isPlainObject(spec)) {
    throw new SpecError('SPEC_INVALID', 'The specification of a webhook has to be an object.', {
      place: document.locationOf(''),
    });
  }
  // Source: https://github.com/minsu-kang/make-custom-app-skill, runtime-reference. [inf]
  if (ownMember(spec, 'endpoint') !== undefined) {
    const place = document.locationOf('/endpoint');
    throw new AppError('InvalidConfigurationError', 'A webhook cannot call an endpoint.', { place });
  }
  const context = { ...directives, environment: { ...directives.environment, sameText } };
  const condition = compileCondition(spec, context);
  let paths: readonly ConditionPath[] | undefined;
  return {
    document,
    verification: compileVerification(spec, document, context),
    condition,
    uid: compileDirective(ownMember(spec, 'uid'), '/uid', context),
    iterate: compileIterate(spec, '', context),
    output: compileDirective(ownMember(spec, 'output'), '/output', context),
    respond: compileAnswer(spec, document, '', context),
    conditionPaths: () => {
      paths ??= listConditionPaths(condition?.test, context);
      return paths;
    },
  };
}

function unwrapElement(communication: Document): Document {
  const { value } = communication;
  return Array.isArray(value) && value.length === 1 ? subDocument(communication, 0) : communication;
}

function compileVerification(
  spec: PlainObject,
  document: Document,
  context: DirectiveContext,
): CompiledVerification | undefined {
  const verification = ownMember(spec, 'verification');
  if (!isPlainObject(verification)) return undefined;
  return {
    condition: compileDirective(ownMember(verification, 'condition'), '/verification/condition', context),
    respond: compileAnswer(verification, document, '/verification', context),
  };
}

function compileAnswer(
  parent: PlainObject,
  document: Document,
  parentPointer: string,
  context: DirectiveContext,
): CompiledRespond | undefined {
  const respond = ownMember(parent, 'respond');
  if (!isPlainObject(respond)) return undefined;
  return compileRespond(respond, document, `${parentPointer}/respond`, context);
}

/** A path that an expression reads, ready to be evaluated. */
export interface ConditionPath {
  readonly path: string;
  /** The last name: it can say that the value is a secret. */
  readonly name: string;
  readonly evaluate: Directive['evaluate'];
}

/** Paths of one condition that are shown. */
const MAX_PATHS = 10;

/** Lists the paths that a condition reads. */
function listConditionPaths(
  test: Directive | undefined,
  { environment, functions }: DirectiveContext,
): readonly ConditionPath[] {
  if (typeof test?.raw !== 'string') return [];
  const { raw, pointer } = test;
  const parsed = safeParseTemplate(raw);
  if (!parsed.ok) return [];
  const paths = new Map<string, ConditionPath>();
  for (const part of parsed.template.parts) {
    if (typeof part === 'string') continue;
    for (const { root, members } of listPaths(listNodes(part))) {
      const { start, end } = members.at(-1)?.node ?? root;
      const path = raw.slice(start, end);
      const name = members.findLast((member) => member.name !== undefined)?.name ?? root.name;
      if (paths.has(path) || paths.size >= MAX_PATHS) continue;
      paths.set(path, {
        path,
        name,
        evaluate: compileTemplate(`{{${path}}}`, { environment, functions, pointer }),
      });
    }
  }
  return [...paths.values()];
}
