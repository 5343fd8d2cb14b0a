// The examples of the documents about extending the server and connecting to it run and give what they show.
import t from 'tap'
import { EXTENDING, testPages } from './world.ts'

testPages(t, EXTENDING)
