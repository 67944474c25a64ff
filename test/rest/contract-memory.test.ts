import { MEMORY_STORES } from './open-stores.js';
import { runContract } from './run-contract.js';

runContract(MEMORY_STORES);
