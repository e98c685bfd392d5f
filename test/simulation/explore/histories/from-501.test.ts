import { historiesKeepPromises } from './keep-promises.ts';

historiesKeepPromises(501);
