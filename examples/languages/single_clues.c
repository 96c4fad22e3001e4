/* Looks at one clue at a time. Build: cc -O2 -o single_clues single_clues.c
 *
 * If a clue has as many known mines around it as it says, its other covered neighbours are safe: open them. If it lacks
 * as many mines as it has covered neighbours, these are mines: flag them. Otherwise open a random covered cell.
 *
 * The option `flags=no` plays without flags, for games that are won when all safe cells are open. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[1100000], marks[1000001];
static int rows, cols, noisy, flags = 1;
static uint64_t state;

static uint64_t next_random(void) { /* SplitMix64 */
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Fills `around` with the neighbours of `cell` that show a mark in `wanted`, and returns their number. */
static int find(int cell, const char *wanted, int around[8]) {
    int count = 0, row = cell / cols, col = cell % cols;
    for (int r = row - 1; r <= row + 1; r++)
        for (int c = col - 1; c <= col + 1; c++)
            if (r >= 0 && r < rows && c >= 0 && c < cols && r * cols + c != cell && strchr(wanted, marks[r * cols + c]))
                around[count++] = r * cols + c;
    return count;
}

/* Marks what single clues prove in `marks`: `o` for a cell to open, `f` for a cell to flag. Returns their number. */
static int deduce(void) {
    int around[8], proven = 0, before;
    do {
        before = proven;
        for (int cell = 0; cell < rows * cols; cell++) {
            if (marks[cell] < '0' || marks[cell] > '8')
                continue;
            int missing = marks[cell] - '0' - find(cell, "F*f", around);
            int covered = find(cell, ".", around);
            if (covered == 0 || (missing != 0 && missing != covered))
                continue;
            for (int i = 0; i < covered; i++)
                marks[around[i]] = missing ? 'f' : 'o';
            proven += covered;
        }
    } while (proven > before);
    return proven;
}

static void say(const char *verb, char mark) {
    if (!strchr(marks, mark))
        return;
    printf("%s ", verb);
    for (int cell = 0; cell < rows * cols; cell++)
        if (marks[cell] == mark)
            printf("%d ", cell);
}

static void answer(void) {
    int proven = deduce(), covered = 0;
    if (proven && (flags || strchr(marks, 'o'))) {
        say("open", 'o');
        if (flags)
            say("flag", 'f');
        printf("why=%s\n", noisy ? "guess" : "proof");
        return;
    }
    for (int cell = 0; cell < rows * cols; cell++)
        covered += marks[cell] == '.';
    if (covered == 0) { /* what is left are mines, and flags are not wanted */
        puts("resign");
        return;
    }
    int chosen = (int)(next_random() % (uint64_t)covered), cell = 0;
    while (marks[cell] != '.' || chosen--)
        cell++;
    printf("open %d why=random\n", cell);
}

int main(void) {
    char *found;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        if (strncmp(line, "sweepstakes ", 12) == 0) {
            puts("ready name=single-clues version=1 option=flags:bool:yes");
        } else if (strncmp(line, "option flags ", 13) == 0) {
            flags = strcmp(line + 13, "yes") == 0;
        } else if (sscanf(line, "game %d %d", &rows, &cols) == 2) {
            noisy = strstr(line, " noise=") != NULL;
            found = strstr(line, " seed=");
            state = found ? strtoull(found + 6, NULL, 10) : 0;
        } else if (strncmp(line, "turn ", 5) == 0) {
            strcpy(marks, line + 5);
            answer();
        } else if (strcmp(line, "quit") == 0) {
            break;
        }
        fflush(stdout);
    }
    return 0;
}
