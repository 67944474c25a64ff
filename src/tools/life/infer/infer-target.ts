import type { App, EndpointComponent, ModuleComponent, RpcComponent } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { ComponentName } from '../../testing/cases/component-name.js';

/** What can be inferred. */
export const INFERRED_PARTS = ['interface', 'samples', 'parameters'] as const;
export type InferredPart = (typeof INFERRED_PARTS)[number];

/** A component whose fields are inferred. */
export interface InferTarget {
  readonly kind: 'module' | 'endpoint' | 'rpc';
  readonly name: string;
  readonly communication: Document | undefined;
  /** The component that gets a response: of an instant trigger, its webhook. */
  readonly subject: ComponentName;
  /** Code type and document of each part that the component has. */
  readonly parts: Readonly<Partial<Record<InferredPart, TargetPart>>>;
}

interface TargetPart {
  readonly code: string;
  readonly document: Document | undefined;
}

export function targetOfModule(module: ModuleComponent): InferTarget {
  const { name, type, webhook, communication, mappableParams, samples } = module;
  return {
    kind: 'module',
    name,
    communication,
    subject:
      type === 'instant_trigger' && webhook !== undefined
        ? { type: 'webhook', name: webhook }
        : { type: 'module', name },
    parts: {
      interface: { code: 'interface', document: module.interface },
      samples: { code: 'samples', document: samples },
      parameters: { code: 'mappableParams', document: mappableParams },
    },
  };
}

function targetOfEndpoint({ name, communication, input, output }: EndpointComponent): InferTarget {
  return {
    ...{ kind: 'endpoint', name, communication, subject: { type: 'endpoint', name } },
    parts: {
      interface: { code: 'output', document: output },
      parameters: { code: 'input', document: input },
    },
  };
}

function targetOfRpc({ name, communication, params }: RpcComponent): InferTarget {
  return {
    ...{ kind: 'rpc', name, communication, subject: { type: 'rpc', name } },
    parts: { parameters: { code: 'params', document: params } },
  };
}

/**
 * @param given name of a module, or `endpoint:NAME`, `rpc:NAME`
 * @throws EngineError (USAGE) if the app does not have the component
 */
export function findTarget({ modules, endpoints, rpcs }: App, given: string): InferTarget {
  const [, kind, name = ''] = /^(module|endpoint|rpc):(.*)$/s.exec(given) ?? [given, 'module', given];
  switch (kind) {
    case 'endpoint':
      return targetOfEndpoint(findNamed(kind, endpoints, name));
    case 'rpc':
      return targetOfRpc(findNamed(kind, rpcs, name));
    default:
      return targetOfModule(findNamed('module', modules, name));
  }
}

function findNamed<T>(kind: string, components: ReadonlyMap<string, T>, name: string): T {
  const found = components.get(name);
  if (found !== undefined) return found;
  throw new EngineError('USAGE', `There is no ${kind} "${name}".${didYouMean(name, components.keys())}`);
}

/** The code type and document of a part. @throws EngineError (USAGE) if components of the kind do not have it */
export function assertPart({ kind, name, parts }: InferTarget, part: InferredPart): TargetPart {
  const found = parts[part];
  if (found !== undefined) return found;
  const message = `The ${kind} "${name}" has no ${part}, only ${Object.keys(parts).join(', ')}.`;
  throw new EngineError('USAGE', message);
}
