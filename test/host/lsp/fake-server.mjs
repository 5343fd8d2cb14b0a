#!/usr/bin/env node
// A scripted language server, for errors that no real one produces on demand. A file `fake.json` in its folder controls its
// start, the first line of the queried document its response.
import { existsSync, readFileSync } from 'node:fs'

/** Read again for each query. */
const told = () =>
  existsSync('fake.json')
    ? JSON.parse(readFileSync('fake.json', 'utf8').replaceAll('$ROOT', `file://${process.cwd()}`))
    : {}
let behaviour = told()
const documents = new Map()
const log = []
let lastId = 0
let hasRead = false
const kept = []

const send = message => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}
const publish = (uri, diagnostics, version) =>
  send({ method: 'textDocument/publishDiagnostics', params: { uri, diagnostics, ...(version && { version }) } })

const found = (message, line = 0) => ({
  range: { start: { line, character: 0 }, end: { line, character: 1 } },
  message,
  severity: 2
})

/** Actions in place of a response, by the first word of the document. */
const ACTS = {
  exit(rest) {
    process.stderr.write(`ending with ${rest}\n`)
    process.exit(Number(rest))
  },
  hang: (_rest, _id, uri) => publish(uri, [found('hanging')]),
  garbage: () => process.stdout.write('no header at all\r\n'.repeat(1_000)),
  fill: rest => kept.push(Buffer.alloc(Number(rest), 1)),
  flood(rest, id) {
    for (let i = 0; i < Number(rest); i++) send({ method: 'window/logMessage', params: { type: 4, message: `${i}` } })
    send({ id, result: { contents: 'flooded' } })
  },
  fault: (rest, id) => send({ id, error: { code: Number(rest), message: 'a fault of its own' } })
}

/** Pushes diagnostics given by the second line of the document: each set in order. */
function finds({ uri, text, version }) {
  const [, line = ''] = text.split('\n')
  const [word, ...says] = line.split(' ')
  if (word === 'publishes') for (const one of says) publish(uri, one === '-' ? [] : [found(one)])
  // Diagnostics of another file first, then none of this one.
  if (word === 'breaks') publish(new URL(says[0], uri).href, [found(says[1])])
  if (word === 'breaks') publish(uri, [], version)
  // Diagnostics of another file, withdrawn at once.
  if (word === 'flickers') for (const all of [[found(says[1])], []]) publish(new URL(says[0], uri).href, all)
  const progress = value => send({ method: '$/progress', params: { token: 'reading', value } })
  // Reports progress until it is asked to stop by a change of the document.
  if (word === 'loads') progress({ kind: 'begin', title: says[0] })
  if (word === 'loaded') progress({ kind: 'end' })
  // None at first, and its diagnostics only a moment after the project is loaded.
  if (word === 'reads') {
    publish(uri, [])
    progress({ kind: 'begin', title: 'reading' })
    setTimeout(() => {
      progress({ kind: 'end' })
      const diagnostics = says.map(one => found(one))
      setTimeout(() => publish(uri, diagnostics), 20)
    }, 500)
  }
  if (word === 'versioned') publish(uri, says[0] === '-' ? [] : says.map(one => found(one)), version)
}

const ANSWERS = {
  initialize: (_params, id) =>
    behaviour.initialize === 'hang'
      ? undefined
      : behaviour.initialize === 'exit'
        ? ACTS.exit('7')
        : send({
            id,
            result: {
              serverInfo: { name: 'fake', version: '1.2' },
              capabilities: {
                textDocumentSync: { openClose: true, change: 1, save: true },
                hoverProvider: true,
                definitionProvider: true,
                referencesProvider: true,
                renameProvider: true,
                documentSymbolProvider: true,
                workspaceSymbolProvider: true,
                ...behaviour.capabilities
              }
            }
          }),
  shutdown: (_params, id) => (behaviour.shutdown === 'hang' ? undefined : send({ id, result: null })),
  'textDocument/hover'({ textDocument: { uri }, position }, id) {
    const { text } = documents.get(uri) ?? { text: '' }
    const [word, ...rest] = (text.split('\n')[0] ?? '').split(' ')
    if (behaviour.hover !== undefined) return send({ id, result: behaviour.hover })
    if (ACTS[word]) return ACTS[word](rest.join(' '), id, uri)
    send({ id, result: { contents: JSON.stringify({ text, position, pid: process.pid, log: log.splice(0) }) } })
  },
  'textDocument/definition'({ textDocument: { uri } }, id) {
    send({ id, result: behaviour.definition === undefined ? { uri, range: found('').range } : behaviour.definition })
  },
  'textDocument/rename': (_params, id) => send({ id, result: behaviour.rename ?? null }),
  'textDocument/prepareRename': (_params, id) =>
    behaviour.prepare === 'fault'
      ? send({ id, error: { code: 0, message: 'You cannot rename this element.' } })
      : send({ id, result: behaviour.prepare ?? null }),
  'textDocument/documentSymbol': (_params, id) => send({ id, result: behaviour.symbols ?? null }),
  'workspace/symbol': (_params, id) => send({ id, result: behaviour.symbols ?? null }),
  'textDocument/diagnostic': ({ textDocument: { uri } }, id) =>
    send({ id, result: { kind: 'full', items: [found(documents.get(uri).text.split('\n')[0])] } })
}

const HEARS = {
  exit: () => process.exit(0),
  initialized() {
    // Signals for some servers that the project is loaded.
    setTimeout(() => {
      hasRead = true
      publish('untitled:nothing', [])
    }, behaviour.reads_ms ?? 0)
    for (const method of behaviour.asks ?? [])
      send({ id: `ask-${++lastId}`, method, params: behaviour.params?.[method] ?? {} })
  },
  'textDocument/didOpen'({ textDocument }) {
    documents.set(textDocument.uri, textDocument)
    finds(textDocument)
  },
  'textDocument/didChange'({ textDocument: { uri, version }, contentChanges: [{ text }] }) {
    documents.set(uri, { uri, text, version })
    finds(documents.get(uri))
  },
  'textDocument/didClose': ({ textDocument: { uri } }) => documents.delete(uri)
}

function take(message) {
  const { id, method, params, result, error } = message
  if (method === undefined) log.push({ answer: error ?? result })
  else if (id === undefined) {
    log.push({ told: method, ...(method === 'initialized' ? {} : { params }) })
    HEARS[method]?.(params)
  } else if (ANSWERS[method]) {
    behaviour = told()
    if (method.startsWith('textDocument/') && behaviour.reads_ms && !hasRead) send({ id, result: null })
    else ANSWERS[method](params, id)
  } else send({ id, error: { code: -32601, message: `no ${method}` } })
}

let read = Buffer.alloc(0)
process.stdin.on('data', bytes => {
  read = Buffer.concat([read, bytes])
  for (;;) {
    const end = read.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/content-length: (\d+)/i.exec(read.subarray(0, end).toString())[1])
    if (read.length < end + 4 + length) return
    const body = read.subarray(end + 4, end + 4 + length).toString()
    read = read.subarray(end + 4 + length)
    take(JSON.parse(body))
  }
})
process.stdin.on('end', () => process.exit(0))
