import type { PlainObject } from '../../shared/plain-object.js';

/** APIs whose signatures `iml add webhook --signature` knows; `custom` is one to adapt. */
export const SIGNATURES = ['github', 'slack', 'stripe', 'shopify', 'custom'] as const;
export type SignatureScheme = (typeof SIGNATURES)[number];

/** What a scheme adds to the files of a webhook. */
export interface SignedWebhook {
  /** Members of the communication, before `output`. */
  readonly communication: PlainObject;
  readonly params: readonly PlainObject[];
  /** Body and stored data of attach; undefined for addresses that users register by hand. */
  readonly attach:
    | { readonly temp?: PlainObject; readonly body: PlainObject; readonly data: PlainObject }
    | undefined;
}

interface Scheme {
  /** Header with the signature. */
  readonly header: string;
  /** Its value as an expression, given the expression of the secret. */
  readonly value: (secret: string) => string;
  /** The time of the call in Unix seconds, which is signed. Calls older than `MAX_AGE_SECONDS` are refused. */
  readonly sentAt?: string;
  /** The header has several signatures, one of which must match. Default: the header is the signature. */
  readonly hasSeveral?: boolean;
  /** `attach`: attach stores the secret as `webhook.secret`. Otherwise the user enters it. */
  readonly attach?: SignedWebhook['attach'];
  readonly verification?: PlainObject;
}

/** The tolerance of the libraries of Stripe, and what Slack recommends. */
const MAX_AGE_SECONDS = 300;

const STRIPE_TIME = "replace(headers.`stripe-signature`; '/.*\\bt=(\\d+).*/'; '$1')";
const SLACK_TIME = 'headers.`x-slack-request-timestamp`';

const SCHEMES: Readonly<Record<SignatureScheme, Scheme>> = {
  // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries [doc]
  github: {
    header: 'x-hub-signature-256',
    value: (secret) => `'sha256=' + sha256(rawBody; 'hex'; ${secret})`,
    attach: {
      temp: { secret: '{{uuid}}' },
      body: {
        name: 'web',
        events: ['push'],
        config: { url: '{{webhook.url}}', content_type: 'json', secret: '{{temp.secret}}' },
      },
      data: { secret: '{{temp.secret}}' },
    },
  },
  // https://docs.slack.dev/authentication/verifying-requests-from-slack [doc]
  slack: {
    header: 'x-slack-signature',
    value: (secret) => `'v0=' + sha256('v0:' + ${SLACK_TIME} + ':' + rawBody; 'hex'; ${secret})`,
    sentAt: SLACK_TIME,
    verification: {
      condition: "{{body.type = 'url_verification'}}",
      respond: { type: 'json', body: { challenge: '{{body.challenge}}' } },
    },
  },
  // https://docs.stripe.com/webhooks/signature: `t=<seconds>,v1=<digest>`, and a further `v1` after a new secret [doc]
  stripe: {
    header: 'stripe-signature',
    value: (secret) => `'v1=' + sha256(${STRIPE_TIME} + '.' + rawBody; 'hex'; ${secret})`,
    sentAt: STRIPE_TIME,
    hasSeveral: true,
    attach: {
      body: { url: '{{webhook.url}}', enabled_events: ['*'] },
      data: { secret: '{{body.secret}}' },
    },
  },
  // https://shopify.dev/docs/apps/build/webhooks/subscribe/https [doc]
  shopify: {
    header: 'x-shopify-hmac-sha256',
    value: (secret) => `sha256(rawBody; 'base64'; ${secret})`,
  },
  custom: {
    header: 'x-signature',
    value: (secret) => `sha256(rawBody; 'hex'; ${secret})`,
    attach: { body: { url: '{{webhook.url}}' }, data: { secret: '{{body.secret}}' } },
  },
};

const SECRET_FIELD = {
  name: 'secret',
  label: 'Signing secret',
  help: 'The secret with which the API signs its calls.',
  type: 'password',
  required: true,
};

/**
 * Creates the parts of a webhook that accepts signed calls only. Secret and header are compared first: without a key
 * `sha256` is a plain hash that anybody can make, and a missing header equals a missing value. The age comes last, so
 * that the recorder sees the digest of a header whose time is still a placeholder.
 */
export function signedWebhook(name: SignatureScheme): SignedWebhook {
  const { header, value, sentAt, hasSeveral = false, attach, verification } = SCHEMES[name];
  const secret = attach === undefined ? 'parameters.secret' : 'webhook.secret';
  const at = `headers.\`${header}\``;
  const isFresh = sentAt === undefined ? '' : ` & timestamp - ${sentAt} <= ${MAX_AGE_SECONDS}`;
  const isSigned = hasSeveral ? `contains(${at}; ${value(secret)})` : `${value(secret)} = ${at}`;
  return {
    communication: {
      ...(verification !== undefined && { verification }),
      condition: `{{${secret} & ${at} & ${isSigned}${isFresh}}}`,
    },
    params: attach === undefined ? [SECRET_FIELD] : [],
    attach,
  };
}
