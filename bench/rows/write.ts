// Overwrites a file with 4 KB durably.
import { generateText } from '../sample-text.ts'
import type { Benchmark } from './benchmark.ts'
import { measureChange } from './change.ts'

const BYTES = 4_096
const CONTENTS = Array.from({ length: 8 }, (_, seed) => generateText(BYTES, seed))

export default {
  name: 'write',
  measure: ground =>
    measureChange(ground, {
      work: 'write 4 KB durably',
      route: '/write',
      content: generateText(BYTES, CONTENTS.length),
      calls: path => CONTENTS.map(content => ({ tool: 'write_file', params: { path, content } }))
    })
} satisfies Benchmark
