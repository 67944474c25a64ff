import { EngineError } from '../../errors/engine-error.js';
import { isPlainObject, ownMember } from '../../util/plain-object.js';
import type { ParameterElement, ParameterList } from './parameter-spec.js';

/** A form as it was read: whole, or as the list of its fields. */
export type ReadForm = ParameterList | readonly ParameterElement[];

/**
 * The elements of a form that was read.
 *
 * @param what the function the form was given to, as the message names it
 * @throws EngineError (USAGE) for anything else, such as a specification as the app writes it
 */
export function listFormElements(form: ReadForm, what: string): readonly ParameterElement[] {
  const elements: unknown = isPlainObject(form) ? ownMember(form, 'elements') : form;
  if (Array.isArray(elements) && elements.every(isElement)) return elements;
  throw new EngineError(
    'USAGE',
    `${what} takes a form that was read: what readParameters gives of a specification, or lists of module.parameters().`,
  );
}

function isElement(value: unknown): value is ParameterElement {
  if (typeof value !== 'object' || value === null) return false;
  const kind = ownMember(value, 'kind');
  return kind === 'parameter' || kind === 'reference';
}
