// Indexes a folder, reports when the first part of it is durable, and then hangs in the middle of the rest.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { defaultSettings } from '../../../src/config/merge.ts'
import { indexFile } from '../../../src/host/code/code-index.ts'
import { openIndex } from '../../../src/host/code/index-schema.ts'
import { IndexStore } from '../../../src/host/code/index-store.ts'
import { IndexTree } from '../../../src/host/code/index-tree.ts'
import { Indexer } from '../../../src/host/code/indexer.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'

const [root, stateDir] = process.argv.slice(2) as [string, string]
const { max_file_bytes, ...limits } = defaultSettings().search
const file = indexFile(stateDir, root)
mkdirSync(path.dirname(file), { recursive: true })
const store = new IndexStore(openIndex(file, JSON.stringify([[], max_file_bytes])))
const tree = new IndexTree(openWorkspace('default', root), { stateDir, sensitive: [] }, max_file_bytes)
const commit = store.commit.bind(store)
store.commit = () => {
  commit()
  console.log('durable')
}
const indexer = new Indexer(store, tree, limits, ({ files }) => {
  // Some later files are in progress and not durable.
  if (files > 1_100) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
await indexer.rescan()
