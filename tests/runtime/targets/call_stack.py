def function_1():
    function_3()


def function_2():
    function_1()


def function_3():
    return 3


def function_4():
    return 4


# Its lines are those of the example in CPython's documentation of its markers, so that the trace can be, too.
def function_5():
    five = [1, 2, 3, 4, 5]
    five.reverse()
    return five

def start():
    function_1()
    function_2()
    function_3()
    function_4()
    function_5()


if __name__ == "__main__":
    import sys

    sys.path.insert(0, __file__.rpartition("/")[0])
    import picture

    picture.say({})
    sys.stdin.readline()
    start()
