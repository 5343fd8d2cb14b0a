// Changing one spot in a file of 1,000 lines, so that it is on the disk when the answer comes.
import { lines } from '../text.ts'
import { measureChange } from './change.ts'
import type { Row } from './row.ts'

const ONE = 'the only line that says one'
const TWO = 'the only line that says two'

export default {
  name: 'edit',
  measure: ground =>
    measureChange(ground, {
      work: 'edit one spot in 1,000 lines',
      route: '/edit',
      content: `${lines(500, 1)}${ONE}\n${lines(499, 2)}`,
      calls: path => [
        { tool: 'edit_file', params: { path, old: ONE, new: TWO } },
        { tool: 'edit_file', params: { path, old: TWO, new: ONE } }
      ]
    })
} satisfies Row
