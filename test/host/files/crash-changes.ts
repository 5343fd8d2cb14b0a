// File mutations that a test kills midway, each with the tree before.
import type { Files } from '../../../src/host/files/files.ts'
import type { TransactionStep } from '../../../src/host/files/transaction/transaction-step.ts'
import type { FileTree } from '../../tools/fixture.ts'

interface CrashChange {
  before: FileTree
  /** Inspects the tree, and returns the function that makes the change. */
  prepare(files: Files): Promise<() => Promise<unknown>>
}

const bytes = (text: string) => Buffer.from(text)
const snapshotOf = async (files: Files, path: string) => (await files.snapshot(path))!

export const CRASH_CHANGES: Record<string, CrashChange> = {
  create: { before: { a: 'A' }, prepare: async files => () => files.create('new/deep/file', bytes('new')) },
  replace: {
    before: { a: 'A' },
    prepare: async files => {
      const was = await snapshotOf(files, 'a')
      return () => files.replace('a', was, bytes('replaced'))
    }
  },
  remove: { before: { a: 'A', b: 'B' }, prepare: async files => () => files.remove('a') },
  'remove a tree': {
    before: { d: { x: 'X', e: { y: 'Y' } }, b: 'B' },
    prepare: async files => () => files.removeTree('d')
  },
  move: { before: { a: 'A' }, prepare: async files => () => files.move('a', 'b') },
  'move a folder': { before: { d: { x: 'X' } }, prepare: async files => () => files.move('d', 'e') },
  'move over': { before: { a: 'A', b: 'B' }, prepare: async files => () => files.moveOver('a', 'b') },
  'make a folder': { before: {}, prepare: async files => () => files.makeDirectory('made') },
  group: {
    before: { a: 'A', b: 'B', c: 'C', d: { x: 'X' }, m: { y: 'Y' } },
    async prepare(files) {
      const [a, b, c, x] = await Promise.all(['a', 'b', 'c', 'd/x'].map(path => snapshotOf(files, path)))
      const steps: TransactionStep[] = [
        { do: 'write', path: 'a', was: a!, content: bytes('AA') },
        { do: 'move', path: 'b', to: 'c', was: b! },
        { do: 'move', path: 'c', to: 'b', was: c!, content: bytes('CC') },
        { do: 'remove', path: 'd' },
        { do: 'remove', path: 'd/x', was: x! },
        { do: 'write', path: 'd', content: bytes('a file now') },
        { do: 'move', path: 'm', to: 'moved/m' },
        { do: 'write', path: 'new/deep', content: bytes('new') },
        { do: 'link', path: 'link', target: 'a' }
      ]
      return () => files.runTransaction(steps)
    }
  }
}
