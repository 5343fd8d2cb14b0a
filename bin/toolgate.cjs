#!/usr/bin/env node
// Starts Toolgate. If the Node that runs this file is too old, it starts the Node that is installed with the package. So this file
// uses only what Node 8 supports.
// biome-ignore-all lint/style/useNodejsImportProtocol: old versions of Node do not support it
'use strict'

const fs = require('fs')
const os = require('os')
const path = require('path')

const NEEDED = [24, 15]
const FORWARDED_SIGNALS = ['SIGTERM', 'SIGHUP']
const root = path.join(__dirname, '..')

start()

function start() {
  if (!fs.existsSync(path.join(root, 'dist/main.js')))
    return fail(`${root} is not built. Run npm ci and npm run build there.`)
  if (isSupported(process.versions.node)) return startHere()
  const node = findNode()
  if (node) return startWith(node)
  fail(`needs Node ${NEEDED.join('.')} or newer, but this is ${process.version}. ${advice()}`)
}

function isSupported(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
}

function startHere() {
  require('module').enableCompileCache(cacheFolder())
  // Node writes the cache when it exits, which a server that is killed never does.
  setTimeout(require('module').flushCompileCache, 3000).unref()
  require('../dist/main.js')
}

/** Returns the Node that is installed with the package: in a clone a development dependency, otherwise an optional package. */
function findNode() {
  for (const name of ['node', `@toolgate/node-${process.platform}-${process.arch}`]) {
    try {
      const file = require.resolve(`${name}/package.json`)
      const { version, node } = require(file)
      const program = path.join(path.dirname(file), 'bin/node')
      if (isSupported(node || version) && fs.existsSync(program)) return program
    } catch (_) {
      // It is not installed.
    }
  }
}

/** Runs this program with another Node, with the same arguments, streams and environment, and ends as it does. */
function startWith(node) {
  const child = require('child_process').spawn(node, [__filename].concat(process.argv.slice(2)), { stdio: 'inherit' })
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => child.kill(signal))
  // A terminal sends Ctrl-C to both processes; without one, only this process receives the signal.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  child.on('error', error => fail(`cannot start ${node}: ${error.message}. ${advice()}`))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function advice() {
  return fs.existsSync(path.join(root, 'src'))
    ? `Run npm ci in ${root}: it installs that Node.`
    : 'Install the package again with this Node and with its optional packages, or install a newer Node from https://nodejs.org.'
}

function fail(message) {
  process.stderr.write(`toolgate: ${message}\n`)
  process.exitCode = 1
}

/** Returns the folder for compiled code: in the user's home, where no one else can put code. */
function cacheFolder() {
  return path.join(process.env.XDG_CACHE_HOME || `${os.homedir()}/.cache`, 'toolgate', 'compiled')
}
