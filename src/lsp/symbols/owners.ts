import type { CheckedDocument } from '../../check/subject/checked-document.js';
import { readableForm } from '../../check/subject/form-fields.js';
import { indexRpcCalls } from '../../check/subject/rpc-calls.js';
import type { Subject } from '../../check/subject/subject.js';
import { listRequests, readAt } from '../../check/subject/walk-requests.js';
import type { ParameterElement } from '../../parameters/form/parameter-spec.js';
import { isPlainObject } from '../../util/plain-object.js';
import { listForms } from '../known-members.js';
import { nameOwner } from './symbol.js';

/** The owner of a `temp` member; those of the base are shared. */
export function findTempOwner(subject: Subject, checked: CheckedDocument, name: string): string | undefined {
  const base = { owner: undefined, kind: 'base', part: 'base', document: subject.app.base } as const;
  const requests = base.document === undefined ? [] : listRequests({ ...base, document: base.document });
  const isOfBase = requests.some(({ value }) =>
    [readAt(value, 'temp'), readAt(value, 'response', 'temp')].some(
      (temp) => isPlainObject(temp) && Object.hasOwn(temp, name),
    ),
  );
  return isOfBase ? undefined : nameOwner(checked);
}

interface SeenForm {
  readonly owner: string | undefined;
  readonly fields: readonly ParameterElement[];
}

/**
 * Forms of `parameters`: its own, that of the webhook of an instant trigger, and for an RPC its only calling form.
 */
export function formsSeenBy(subject: Subject, checked: CheckedDocument): readonly SeenForm[] {
  const own: SeenForm = { owner: nameOwner(checked), fields: listForms(subject, checked) };
  const { owner } = checked;
  if (owner?.kind === 'rpc') {
    const calls = indexRpcCalls(subject).get(owner.name) ?? [];
    const askers = calls.map((call) => call.checked).filter((one) => one.owner?.kind !== 'rpc');
    const [asker, another] = [...new Map(askers.map((one) => [nameOwner(one), one])).values()];
    return asker === undefined || another !== undefined ? [own] : [own, ...formsSeenBy(subject, asker)];
  }
  const webhook = owner?.webhook === undefined ? undefined : subject.app.webhooks.get(owner.webhook);
  if (webhook === undefined) return [own];
  return [own, { owner: `webhook ${webhook.name}`, fields: readableForm(webhook.params).elements }];
}
