// The examples of the longest documents run and give what they show.
import t from 'tap'
import { REFERENCE, testPages } from './world.ts'

testPages(t, REFERENCE)
