import { isPlainObject } from '../../util/plain-object.js';
import type { Document } from '../reading/document.js';
import { type Directive, type DirectiveContext, DirectiveReader } from './compile-directive.js';

/** How a webhook sender is answered, ready to run: of a responder, `respond` or `verification.respond`. */
export interface CompiledRespond {
  readonly type: Directive | undefined;
  readonly status: Directive | undefined;
  readonly headers: Directive | undefined;
  readonly body: Directive | undefined;
  /** The document that directives' pointers lead into. */
  readonly document: Document;
}

/**
 * Makes the answer at `pointer` of a document ready. Anything that is no object counts as empty.
 *
 * @param value what stands there
 * @see https://developers.make.com/custom-apps-documentation/app-components/webhooks
 */
export function compileRespond(
  value: unknown,
  document: Document,
  pointer: string,
  context: DirectiveContext,
): CompiledRespond {
  const read = new DirectiveReader(isPlainObject(value) ? value : {}, pointer, context);
  return {
    type: read.read('type'),
    status: read.read('status'),
    headers: read.read('headers'),
    body: read.read('body'),
    document,
  };
}
