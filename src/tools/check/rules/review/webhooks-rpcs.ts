import { isSecretName } from '../../../../engine/redaction/secret-names.js';
import { readPath } from '../../../../language/syntax/walk-expression.js';
import { isPlainObject, readAt } from '../../../../shared/plain-object.js';
import { ADVICE, official, type ReportFinding, type Rule } from '../../rule.js';
import { type ExpressionSite, findingAt } from '../../subject/expression-site.js';
import { listFields } from '../../subject/form-fields.js';
import { isEmpty, readInherited, reads, requestsOf, textOf } from '../../subject/review-subject.js';
import { locate, locateKey, pointerTo } from '../../subject/walk-requests.js';

export const WEBHOOK_AND_RPC_REVIEW: readonly Rule[] = [
  {
    id: 'webhook-detached',
    area: 'webhooks',
    level: 'error',
    summary: 'A webhook is attached and never detached.',
    why: 'The API calls the address of a deleted scenario until it gives up, and its list of webhooks fills up.',
    bad: 'attach: { "url": "/hooks", "method": "POST" }; detach: {}',
    good: 'detach: { "url": "/hooks/{{webhook.externalHookId}}", "method": "DELETE" }',
    review: official('best-practices'),
    check: ({ app, part }, report) => {
      for (const { name, attach, detach } of app.webhooks.values()) {
        if (part?.has('webhook', name) === false) continue;
        if (attach === undefined || isEmpty(attach.value) || !isEmpty(detach?.value)) continue;
        report({ message: `The webhook "${name}" has no detach request.`, place: attach.locationOf('') });
      }
    },
  },
  {
    id: 'last-page',
    area: 'modules',
    level: 'error',
    summary: 'The condition of `pagination` leaves out the last page.',
    why: '`pagination.page` is the number of the page to request. With `>` or `<`, the page whose number equals the number of pages is not requested.',
    bad: '"condition": "{{body.pages > pagination.page}}"',
    good: '"condition": "{{body.pages >= pagination.page}}"',
    review: ADVICE,
    check: ({ requests, expressionsIn }, report) => {
      for (const request of requests) {
        const pointer = pointerTo(request, 'pagination', 'condition');
        for (const site of expressionsIn(request.in).filter((one) => one.pointer === pointer)) {
          for (const node of site.nodes) {
            if (node.kind !== 'binary' || (node.operator !== '<' && node.operator !== '>')) continue;
            const sides = [node.left, node.right];
            const isPage = sides.some(
              (side) =>
                side.kind === 'member' &&
                side.object.kind === 'name' &&
                side.object.name === 'pagination' &&
                side.name === 'page',
            );
            const isTotal = sides.some(
              (side) =>
                side.kind === 'member' &&
                /page|total/i.test(String(side.name)) &&
                !(side.object.kind === 'name' && side.object.name === 'pagination'),
            );
            if (isPage && isTotal)
              report(findingAt(site, node, 'Use >= or <=, or the last page is left out.'));
          }
        }
      }
    },
  },
  {
    id: 'endless-paging',
    area: 'modules',
    level: 'error',
    summary: 'The condition of `pagination` is always true.',
    why: 'Every run goes on until a limit of the platform ends it.',
    bad: '"pagination": { "condition": true }',
    good: '"pagination": { "condition": "{{body.has_more}}" }',
    review: ADVICE,
    check: ({ requests }, report) => {
      for (const request of requests) {
        const condition = readAt(request.value, 'pagination', 'condition');
        if (condition !== true && condition !== '{{true}}' && condition !== 'true') continue;
        const place = locate(request, 'pagination', 'condition');
        report({ message: 'The condition is always true.', place });
      }
    },
  },
  {
    id: 'rpc-calls',
    area: 'rpcs',
    level: 'warning',
    summary: 'An RPC sends more than three requests.',
    why: 'Users wait for the RPC whenever they open the form. It has 40 seconds.',
    bad: 'a chain of four requests',
    good: 'one request',
    review: official('best-practices/remote-procedure-calls'),
    check: (subject, report) => {
      for (const { name, communication } of subject.app.rpcs.values()) {
        if (communication === undefined || subject.part?.has('rpc', name) === false) continue;
        const count = requestsOf(subject, 'rpc', name).length;
        if (count > 3)
          report({
            message: `The RPC "${name}" sends ${count} requests.`,
            place: communication.locationOf(''),
          });
      }
    },
  },
  {
    id: 'rpc-limit',
    area: 'rpcs',
    level: 'warning',
    summary: 'An RPC reads several pages without a limit.',
    why: 'A form shows at most 500 options, and the time of an RPC is limited.',
    bad: '"pagination": { ... }, "response": { "iterate": "{{body.users}}" }',
    good: '"pagination": { ... }, "response": { "iterate": "{{body.users}}", "limit": 500 }',
    review: official('app-structure/rpcs/dynamic-options-rpc'),
    check: (subject, report) => {
      for (const request of subject.requests) {
        if (request.in.owner?.kind !== 'rpc' || isEmpty(readAt(request.value, 'pagination'))) continue;
        if (!isEmpty(readInherited(subject, request, 'response', 'limit'))) continue;
        const place = locateKey(request, 'pagination');
        report({ message: 'The RPC reads all pages. Add response.limit.', place });
      }
    },
  },
  {
    id: 'rpc-paging',
    area: 'rpcs',
    level: 'warning',
    summary: 'An RPC lists records and reads one page only.',
    why: 'Records of further pages cannot be chosen.',
    bad: 'rpc: "response": { "iterate": "{{body.users}}" }',
    good: 'rpc: "pagination": { "qs": { "page": "{{pagination.page}}" } }',
    review: ADVICE,
    check: (subject, report) => {
      for (const request of subject.requests) {
        if (request.in.owner?.kind !== 'rpc' || isEmpty(readAt(request.value, 'response', 'iterate')))
          continue;
        if (!isEmpty(readInherited(subject, request, 'pagination'))) continue;
        const place = locateKey(request, 'response', 'iterate');
        report({ message: `The RPC "${request.in.owner.name}" has no pagination.`, place });
      }
    },
  },
  {
    id: 'rpc-mode-edit',
    area: 'rpcs',
    level: 'warning',
    summary: 'A select of an ID from an RPC has no `mode: edit` in a module that gets, updates or deletes.',
    why: 'In most scenarios the ID comes from an earlier module. `mode: edit` opens the field for mapping.',
    bad: '{ "name": "id", "type": "select", "options": "rpc://listUsers" }',
    good: '{ "name": "id", "type": "select", "mode": "edit", "options": "rpc://listUsers" }',
    review: official('best-practices/remote-procedure-calls'),
    check: (subject, report) => {
      for (const field of listFields(subject)) {
        const { owner, part } = field.in;
        const module = owner?.kind === 'module' ? subject.app.modules.get(owner.name) : undefined;
        if (module === undefined || part !== 'mappableParams') continue;
        const isOfRecord =
          ['read', 'update', 'delete'].includes(module.crud ?? '') ||
          /^(?:get|update|delete)/i.test(module.name);
        if (
          !isOfRecord ||
          textOf(field.value, 'type') !== 'select' ||
          !/id$/i.test(textOf(field.value, 'name'))
        )
          continue;
        const { options } = field.value;
        const source = isPlainObject(options) ? textOf(options, 'store') : String(options);
        if (!source.startsWith('rpc://') || textOf(field.value, 'mode') === 'edit') continue;
        const message = `Add "mode": "edit" to "${textOf(field.value, 'name')}", as its value is mostly mapped.`;
        report({ message, place: locate(field) });
      }
    },
  },
  {
    id: 'endpoint-help',
    area: 'endpoints',
    level: 'warning',
    summary: 'A field of an endpoint has no help.',
    why: 'Agents read the help to know what a field means.',
    bad: '{ "name": "id", "type": "text" }',
    good: '{ "name": "id", "type": "text", "help": "ID of the user." }',
    review: ADVICE,
    check: (subject, report) => {
      for (const field of listFields(subject)) {
        if (
          field.in.owner?.kind !== 'endpoint' ||
          textOf(field.value, 'name') === '' ||
          textOf(field.value, 'help') !== ''
        )
          continue;
        report({ message: `"${textOf(field.value, 'name')}" has no help.`, place: locate(field) });
      }
    },
  },
  {
    id: 'endpoint-static-name',
    area: 'endpoints',
    level: 'error',
    summary: 'The name of a called endpoint is an expression.',
    why: 'The platform resolves names of endpoints before it evaluates expressions.',
    bad: '"endpoint": "{{parameters.endpoint}}"',
    good: '"endpoint": "listUsers"',
    review: ADVICE,
    check: ({ expressions }, report) => {
      for (const site of expressions) {
        const [first, second] = site.location.directive;
        const isName = first === 'endpoint' && (second === undefined || second === 'name');
        if (isName) report({ message: 'The name of an endpoint is a fixed text.', place: site.placeAt(0) });
      }
    },
  },
  {
    id: 'webhook-signature',
    area: 'webhooks',
    level: 'info',
    summary:
      'A webhook neither has a condition nor reads a header, or compares with a secret that may be missing.',
    why: 'Where the API signs its calls, an unchecked signature lets anybody who knows the address start scenarios. Without a key, `sha256` is a hash that anybody can compute, and a missing header equals a missing secret.',
    bad: '{ "output": "{{body}}" }',
    good: '{ "condition": "{{webhook.secret & headers.`x-signature` & sha256(rawBody; \'hex\'; webhook.secret) = headers.`x-signature`}}", "output": "{{body}}" }',
    review: ADVICE,
    check: (subject, report) => {
      for (const { name, communication } of subject.app.webhooks.values()) {
        if (communication === undefined || subject.part?.has('webhook', name) === false) continue;
        const [checked] = subject.documentsOf('webhook', name).filter(({ part }) => part === 'communication');
        if (checked !== undefined) reportUnguarded(subject.expressionsIn(checked), report);
        if (checked === undefined || !isEmpty(readAt(communication.value, 'condition'))) continue;
        if (subject.expressionsIn(checked).some((site) => reads(site, 'headers'))) continue;
        report({
          message: `The webhook "${name}" accepts every call. Check the signature if the API sends one.`,
          place: communication.locationOf(''),
        });
      }
    },
  },
];

/** Comparisons with stored data of the hook that nothing else in the expression reads, so nothing tests it. */
function reportUnguarded(sites: readonly ExpressionSite[], report: ReportFinding): void {
  for (const site of sites.filter(({ pointer }) => /^(?:\/verification)?\/condition$/.test(pointer))) {
    for (const node of site.nodes) {
      const isKeyed = node.kind === 'call' && /^sha\d+$/.test(node.name);
      const isEqual = node.kind === 'binary' && node.operator === '=';
      const values = isKeyed ? [node.args[2]] : isEqual ? [node.left, node.right] : [];
      for (const value of values) {
        const path = value && readPath(value);
        const name = path?.root.name === 'webhook' ? path.members[0]?.name : undefined;
        if (value === undefined || name === undefined || !(isKeyed || isSecretName(name, 'body'))) continue;
        const uses = site.paths.filter(
          ({ root, members }) => root.name === 'webhook' && members[0]?.name === name,
        );
        if (uses.length > 1) continue;
        const message = `Test webhook.${name} first: webhook.${name} & ... While it is missing, anybody can make a matching call.`;
        report(findingAt(site, value, message));
      }
    }
  }
}
