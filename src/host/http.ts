// Node's built-in http module. An import evaluates all of its exports, one of which loads an unused WebSocket client, which costs
// some 50 ms of startup. `getBuiltinModule` avoids that.
export const { createServer, request } = process.getBuiltinModule('node:http')
