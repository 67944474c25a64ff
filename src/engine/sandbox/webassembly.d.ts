// The parts of the WebAssembly API that this folder and the types of quickjs-emscripten name. The compiler ships
// them only with the DOM library, which would put browser globals in scope of the whole project.
declare namespace WebAssembly {
  type ImportValue = unknown;
  type Imports = Record<string, Record<string, ImportValue>>;
  type Exports = Record<string, unknown>;
  class Module {
    private readonly brand: 'module';
  }
  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Exports;
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum: number });
    readonly buffer: ArrayBuffer;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
