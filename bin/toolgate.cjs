#!/usr/bin/env node
// Written for any Node, however old, so that one that is too old can say so.
// biome-ignore-all lint/style/useNodejsImportProtocol: old Nodes do not know it
// biome-ignore-all lint/style/useTemplate: nor template literals
'use strict'

var NEEDED = [24, 15]
var found = process.versions.node.split('.').map(Number)

if (found[0] < NEEDED[0] || (found[0] === NEEDED[0] && found[1] < NEEDED[1])) {
  process.stderr.write(
    'toolgate: needs Node ' + NEEDED.join('.') + ' or newer, but this is ' + process.version + '. ' + advice() + '\n'
  )
  process.exitCode = 1
} else {
  require('module').enableCompileCache(cacheFolder())
  // Kept at the end by itself, but a server may never come to a proper one.
  setTimeout(require('module').flushCompileCache, 3000).unref()
  require('../dist/main.js')
}

/** A checkout has a Node of its own among its packages; an installed package runs on the one that it was started with. */
function advice() {
  var path = require('path')
  var root = path.join(__dirname, '..')
  return require('fs').existsSync(path.join(root, 'src'))
    ? 'In ' + root + ', run npm ci and then npm start: they use the Node that is installed with the packages.'
    : 'Install a newer Node from https://nodejs.org/ or with a version manager (nvm install ' +
        NEEDED[0] +
        '), and start toolgate again.'
}

/** Compiled code is kept in the user's own folder, where nobody else can plant any. */
function cacheFolder() {
  var home = require('os').homedir()
  return require('path').join(process.env.XDG_CACHE_HOME || home + '/.cache', 'toolgate', 'compiled')
}
