import type { PlainObject } from '../../shared/plain-object.js';
import type { NewComponent } from './templates.js';

/** Kinds of authentication that `iml init app` and `iml add connection` know. */
export const AUTHENTICATIONS = ['none', 'api-key', 'basic', 'oauth2'] as const;
export type Authentication = (typeof AUTHENTICATIONS)[number];

/** Address and authentication of an API. */
export interface ApiOptions {
  /** Without the trailing slash. */
  readonly baseUrl: string;
  readonly authentication: Authentication;
  /** Keys that requests carry, with `api-key` or in addition to other credentials. */
  readonly keys: readonly ApiKey[];
  /** Addresses for `oauth2`. Undefined: below the origin of the API, to be replaced. */
  readonly oauth?: OauthOptions | undefined;
}

/** A key that users enter, and where requests carry it. */
export interface ApiKey {
  /** Name of the field of the connection. */
  readonly parameter: string;
  readonly label: string;
  readonly in: 'headers' | 'qs';
  /** Name of the header, in lower case, or of the query parameter. */
  readonly name: string;
  /** Text before the key: `Bearer `. */
  readonly prefix: string;
}

/** A key as a bearer token. */
export const BEARER_KEY: ApiKey = {
  parameter: 'apiKey',
  label: 'API key',
  in: 'headers',
  name: 'authorization',
  prefix: 'Bearer ',
};

/** A flow of OAuth 2. Addresses are absolute. */
export interface OauthOptions {
  readonly grant: 'authorization_code' | 'client_credentials' | 'password';
  /** Only of `authorization_code`. */
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly refreshUrl: string;
  /** Labels by scope. */
  readonly scopes: Readonly<Record<string, string>>;
}

/** What tests a connection, and what names it. */
export interface AccountOptions {
  /** Absolute or below the base address. */
  readonly path: string;
  /** `response.uid`; undefined for none. */
  readonly uid: string | undefined;
  readonly metadata: { readonly type: 'email' | 'text'; readonly value: string } | undefined;
}

/** The account as most APIs return it. */
export function defaultAccount(path: string): AccountOptions {
  return { path, uid: '{{body.id}}', metadata: { type: 'email', value: '{{body.email}}' } };
}

/** Without `type`, the status decides which errors a scenario repeats. */
const ERROR = { message: '[{{statusCode}}] {{body.message}}' } as const;

interface Credential {
  readonly in: 'headers' | 'qs';
  readonly name: string;
  readonly value: string;
}

function listCredentials({ authentication, keys }: ApiOptions, source: string): readonly Credential[] {
  const carried = keys.map((key) => ({
    in: key.in,
    name: key.name,
    value: `${key.prefix}{{${source}.${key.parameter}}}`,
  }));
  const authorization = (value: string): Credential => ({ in: 'headers', name: 'authorization', value });
  switch (authentication) {
    case 'none':
    case 'api-key':
      return carried;
    case 'basic':
      return [authorization(`Basic {{base64(${source}.username + ':' + ${source}.password)}}`), ...carried];
    case 'oauth2':
      return [authorization('Bearer {{connection.accessToken}}'), ...carried];
  }
}

/** The members of a request that carry the credentials. */
function authorized(credentials: readonly Credential[]): PlainObject {
  const members = (place: Credential['in']): PlainObject => {
    const named = credentials.filter((credential) => credential.in === place);
    if (named.length === 0) return {};
    return { [place]: Object.fromEntries(named.map(({ name, value }) => [name, value])) };
  };
  return { ...members('headers'), ...members('qs') };
}

function sanitized(credentials: readonly Credential[]): PlainObject {
  if (credentials.length === 0) return {};
  return {
    log: { sanitize: credentials.map((credential) => `request.${credential.in}.${credential.name}`) },
  };
}

/** `base` of a new app. */
export function baseTemplate(api: ApiOptions, error: PlainObject = ERROR): PlainObject {
  const credentials = listCredentials(api, 'connection');
  return {
    baseUrl: api.baseUrl,
    ...authorized(credentials),
    response: { error },
    ...sanitized(credentials),
  };
}

/** A connection that requests the account of the user. */
export function connectionTemplate(
  api: ApiOptions,
  label: string,
  { path, uid, metadata }: AccountOptions,
  error: PlainObject = ERROR,
): NewComponent {
  const url = /^https?:/.test(path) ? path : `${api.baseUrl}${path}`;
  const credentials = listCredentials(api, 'parameters');
  const account = {
    url,
    ...authorized(credentials),
    response: { ...(uid !== undefined && { uid }), ...(metadata !== undefined && { metadata }), error },
    ...sanitized(credentials),
  };
  const keys = api.keys.map((key) =>
    secret(key.parameter, key.label, `Create an API key in the settings of your ${label} account.`),
  );
  const { authentication } = api;
  if (authentication === 'oauth2') {
    const oauth = api.oauth ?? defaultOauth(new URL(url).origin);
    return {
      row: { label, connectionType: 'oauth' },
      files: {
        communication: oauthTemplate(oauth, account),
        params: [...clientFields(label), ...(oauth.grant === 'password' ? userFields(label) : []), ...keys],
        scopeList: oauth.scopes,
        defaultScope: [],
      },
    };
  }
  return {
    row: { label, connectionType: 'basic' },
    files: {
      communication: authentication === 'none' ? {} : account,
      params: [...(authentication === 'basic' ? userFields(label) : []), ...keys],
    },
  };
}

function secret(name: string, label: string, help: string): PlainObject {
  return { name, label, type: 'password', required: true, editable: true, help };
}

function userFields(label: string): readonly PlainObject[] {
  return [
    {
      name: 'username',
      label: 'Username',
      type: 'text',
      required: true,
      editable: true,
      help: `Enter the username of your ${label} account.`,
    },
    secret('password', 'Password', `Enter the password of your ${label} account.`),
  ];
}

function clientFields(label: string): readonly PlainObject[] {
  return [
    {
      name: 'clientId',
      label: 'Client ID',
      type: 'text',
      required: true,
      editable: true,
      help: `Create a client in the developer settings of ${label}.`,
    },
    secret('clientSecret', 'Client secret', `Copy the secret of the client from ${label}.`),
  ];
}

function defaultOauth(origin: string): OauthOptions {
  return {
    grant: 'authorization_code',
    authorizationUrl: `${origin}/oauth/authorize`,
    tokenUrl: `${origin}/oauth/token`,
    refreshUrl: `${origin}/oauth/token`,
    scopes: {},
  };
}

const CLIENT = {
  client_id: '{{parameters.clientId}}',
  client_secret: '{{parameters.clientSecret}}',
} as const;

const TOKEN_ERROR = {
  message: '[{{statusCode}}] {{body.error_description}}',
  type: 'InvalidAccessTokenError',
} as const;

function oauthTemplate(oauth: OauthOptions, account: PlainObject): PlainObject {
  return oauth.grant === 'authorization_code' ? codeFlow(oauth, account) : directFlow(oauth, account);
}

function codeFlow(
  { authorizationUrl, tokenUrl, refreshUrl }: OauthOptions,
  account: PlainObject,
): PlainObject {
  const sanitize = [
    'request.body.client_secret',
    'request.body.code',
    'response.body.access_token',
    'response.body.refresh_token',
  ];
  const data = {
    accessToken: '{{body.access_token}}',
    refreshToken: '{{body.refresh_token}}',
    expires: '{{addSeconds(now, body.expires_in)}}',
  };
  return {
    authorize: {
      url: authorizationUrl,
      qs: {
        response_type: 'code',
        client_id: '{{parameters.clientId}}',
        redirect_uri: '{{oauth.localRedirectUri}}',
        scope: "{{join(oauth.scope, ' ')}}",
      },
      response: { temp: { code: '{{query.code}}' } },
    },
    token: {
      url: tokenUrl,
      method: 'POST',
      type: 'urlencoded',
      body: {
        grant_type: 'authorization_code',
        code: '{{temp.code}}',
        redirect_uri: '{{oauth.localRedirectUri}}',
        ...CLIENT,
      },
      response: { data, error: TOKEN_ERROR },
      log: { sanitize },
    },
    refresh: {
      condition: '{{data.expires < addMinutes(now, 1)}}',
      url: refreshUrl,
      method: 'POST',
      type: 'urlencoded',
      body: { grant_type: 'refresh_token', refresh_token: '{{data.refreshToken}}', ...CLIENT },
      response: {
        data: { ...data, refreshToken: '{{ifempty(body.refresh_token, data.refreshToken)}}' },
        error: TOKEN_ERROR,
      },
      log: { sanitize: ['request.body.refresh_token', ...sanitize] },
    },
    info: account,
  };
}

/** A token without a page: the condition of `token` requests the next one, too. [rt] */
function directFlow({ grant, tokenUrl }: OauthOptions, account: PlainObject): PlainObject {
  const user = { username: '{{parameters.username}}', password: '{{parameters.password}}' };
  const hasUser = grant === 'password';
  return {
    token: {
      condition: '{{if(data.accessToken, data.expires < addMinutes(now, 1), true)}}',
      url: tokenUrl,
      method: 'POST',
      type: 'urlencoded',
      body: {
        grant_type: grant,
        ...(hasUser && user),
        ...CLIENT,
        scope: "{{join(oauth.scope, ' ')}}",
      },
      response: {
        data: { accessToken: '{{body.access_token}}', expires: '{{addSeconds(now, body.expires_in)}}' },
        error: TOKEN_ERROR,
      },
      log: {
        sanitize: [
          'request.body.client_secret',
          ...(hasUser ? ['request.body.password'] : []),
          'response.body.access_token',
        ],
      },
    },
    info: account,
  };
}
