"""First names, by the pronoun a story uses for them, and made-up ones.

The story model knows few names. Ours replace them, so that the task of naming the characters is
one of reading the story, not of remembering which names there are.
"""

import zlib

# Names that the story model uses by itself.
KNOWN_SHE = """
    Lily Lucy Sara Sarah Mia Anna Emma Sue Jane Amy Daisy Molly Ella Mary Jenny Sally Bella Lisa
    Lila Lola Rosie Annie Jill Zoe Sophie Ellie Susie Maya Nina Mandy Alice Kate Katie Betty
    Polly Penny Julia Emily Grace Rose Ruby Sofia Olivia Ava Chloe Lulu Mimi Nancy Cindy Wendy
    Tina Lina Sarah Jen Jess Jessie Jessica Sandy Suzy Millie Maggie Kim Kelly Holly Hannah
    Laura Linda Leah Lea Eva Eve Ann Anne Amelia Abby Becky Beth Carla Cathy Clara Dora Elsa
    Gina Ginny Helen Isla Ivy Jasmine Jo Joy Judy Kara Karen Kitty Liz Lizzy Lena Layla Luna
    Mara Maria Meg Mila Missy Nora Pam Patty Peggy Rachel Rita Sadie Sasha Sonia Stella Suzie
    Tammy Tara Tess Tia Tilly Vicky Violet Zara
""".split()
KNOWN_HE = """
    Tim Timmy Tom Tommy Ben Max Jack Sam Joe John Johnny Bob Bobby Billy Bill Mike Mark Jim
    Jimmy Fred Freddy Leo Danny Dan David Peter Paul Lucas Luke Jake Charlie Alex Andy Adam
    Harry Henry Roger Roy Rob Toby Teddy Ted Buddy Finn Oliver Nick Matt Ryan Eddie Ed Steve
    Pete Kevin Josh Joey Jay Jeff George Jerry Anthony Ali Alan Benny Bert Brian Carl Chris Dave
    Dean Eric Frank Gary Greg Hank Ian Jason Jeremy Jonny Jon Joshua Juan Justin Ken Kenny Kyle
    Larry Lenny Louis Marcus Martin Michael Miguel Mikey Nate Nathan Noah Oscar Owen Pat Patrick
    Phil Ralph Ray Ricky Robert Robbie Ron Sammy Scott Sean Simon Stan Steven Terry Theo Thomas
    Tony Tyler Victor Walter Will William Zac Zach
""".split()
KNOWN_IT = """
    Spot Fluffy Rex Coco Bubbles Whiskers Mittens Fido Rover Tweety Nemo Rocky Felix Snowy
    Shadow Ginger Biscuit Cookie Goldie Patches Pip Sparky Sunny Socks Scruffy Snuggles Rusty
    Ruffy Pepper Oreo Muffin Misty Lucky Honey Hoppy Fuzzy Fifi Dotty Chirpy Brownie Boo Bingo
    Benji Barky Bunny Birdie Chip Duke Fred Gizmo Hopper Kiki Leo Milo Mickey Nibbles Ollie
    Poppy Quacky Squeaky Tigger Toto Woof Ziggy Zippy
""".split()

# Names that we bring in.
_NEW_SHE = """
    Ada Adele Agnes Aisha Alba Alma Amara Amina Anita Antonia Anya Ariana Astrid Athena Audrey
    Aurora Beatrice Bianca Blanca Brenda Bridget Bryony Camila Carmen Carol Cecilia Celia
    Charlotte Cora Dahlia Dalia Dana Daphne Delia Diana Dina Edith Elena Elif Elisa Eliza Elodie
    Elvira Enid Erika Esme Estelle Esther Etta Fatima Farah Faye Flora Florence Frances Freya
    Frida Gaia Gemma Georgia Gloria Greta Gwen Hana Harriet Hazel Hedda Heidi Hilda Ida Imogen
    Ines Ingrid Irene Iris Irma Isabel Jada Jana Joan Johanna Josie Juliet June Kaia Kamala
    Katya Keiko Kiara Kira Lara Leila Leona Leonie Lidia Liv Lorna Lotte Louise Lucia Mabel Mae
    Magda Maia Malia Marcia Margot Marian Marlene Marta Matilda Maud Mei Mercy Mina Mira Mirabel
    Miriam Mona Nadia Naomi Nell Nia Nika Noemi Noor Nuria Odette Olga Opal Oriana Paloma Paula
    Pearl Petra Phoebe Pia Pilar Priya Ramona Rana Reem Renata Rhea Roberta Romy Rosa Rosalind
    Rowena Roxana Sabina Salma Samira Selma Serena Sigrid Silvia Simone Siri Sylvie Tabitha Tala
    Talia Tamar Tanya Thea Thelma Tova Ulla Uma Ursula Valeria Vera Vivian Wanda Wilma Winnie
    Xenia Yara Yasmin Yoko Yuki Yvonne Zadie Zahra Zelda Zinnia Zora
""".split()
_NEW_HE = """
    Aaron Abel Ahmed Aidan Albert Aldo Alfie Alfred Amir Amos Anders Andre Angus Anton Archie
    Ari Arlo Arnold Arthur Arturo Asher Axel Aziz Barney Basil Boris Boaz Bram Bruno Callum
    Calvin Carlos Casper Cedric Cesar Chester Clark Clyde Colin Conrad Cyril Cyrus Damian Dario
    Darius Declan Dennis Derek Desmond Diego Dirk Dominic Donald Douglas Duncan Dylan Edgar
    Edmund Edwin Eli Elias Elliot Elmer Emil Emmett Enzo Erik Ernest Ethan Eugene Evan Ezra
    Fabian Farid Felipe Fergus Fidel Floyd Franco Franz Gabriel Gareth Gavin Gideon Gilbert
    Giles Graham Gunnar Gus Gustav Hamish Hans Harold Haruki Hassan Hector Herman Hiro Horace
    Howard Hubert Hugo Humphrey Ibrahim Igor Imran Isaac Ismael Ivan Ivor Jamal Janek Jared
    Jasper Javier Jerome Joaquin Joel Jonah Jonas Jorge Julian Julius Kai Karim Karl Keith Kenji
    Kurt Lance Lars Laurence Leon Leonard Leopold Lester Levi Liam Lionel Lloyd Lorenzo Lothar
    Ludwig Magnus Malik Manuel Marco Mario Marvin Mateo Maurice Maxim Melvin Mohan Morris Moses
    Murray Nelson Neville Nico Nigel Nils Norman Odin Olaf Omar Orlando Orson Oswald Otis Otto
    Pablo Pascal Pavel Pedro Percy Perry Philip Pierre Quentin Quincy Rafael Raj Ramon Raoul
    Reuben Rhys Roland Roman Ronan Rufus Rupert Salim Samir Santiago Saul Sergio Seth Sidney
    Silas Sven Tarek Tariq Tobias Tomas Tristan Ulrich Umar Vasco Vernon Vikram Vincent Waldo
    Warren Wesley Wilbur Winston Xavier Yannick Yusuf Zoltan
""".split()
_NEW_IT = """
    Acorn Bandit Barnaby Bramble Bumble Button Clover Comet Crumpet Dash Ember Fern Flick Flopsy
    Fudge Hazelnut Hoot Inky Jiffy Juniper Kipper Marble Merlin Mocha Moss Noodle Nutmeg Paddle
    Peanut Pebble Pickle Pudding Puddles Quill Ripple Roly Scamper Sooty Sprout Stormy Tango
    Thistle Truffle Tufty Twiggy Waffles Wiggles Willow Zigzag Zuzu
""".split()


def reserved(name):
    """Names that training never sees: one in ten of ours, for the evaluation."""
    return zlib.crc32(name.encode()) % 10 == 0


KNOWN = {name: "she" for name in KNOWN_SHE} | {name: "he" for name in KNOWN_HE}
KNOWN |= {name: "it" for name in KNOWN_IT if name not in KNOWN}
_NEW = {"she": _NEW_SHE, "he": _NEW_HE, "it": _NEW_IT}
_OLD = {"she": KNOWN_SHE, "he": KNOWN_HE, "it": KNOWN_IT}
TRAINING = {k: _OLD[k] + [n for n in _NEW[k] if not reserved(n)] for k in _NEW}
RESERVED = {k: [n for n in _NEW[k] if reserved(n)] for k in _NEW}

_ONSETS = "b c d f g h j k l m n p r s t v w y z br ch cl dr fl gr kl pr sh st th tr".split()
_VOWELS = "a e i o u a e i o ai ee ia ou".split()
_CODAS = ["", "", "", "", "l", "m", "n", "r", "s", "t", "x", "nd", "k"]


_REAL = KNOWN_SHE + KNOWN_HE + _NEW_SHE + _NEW_HE
_HELD = {name for kind in RESERVED.values() for name in kind}


def made_up(rng):
    """A name that hardly anybody has: of syllables (Tramiel) or halves of two names (Winrik)."""
    while True:
        if rng.random() < 0.5:
            a, b = rng.choice(_REAL), rng.choice(_REAL)
            name = a[: rng.randint(2, 4)] + b[-rng.randint(2, 4) :]
        else:
            count = rng.choice((1, 2, 2, 2, 3))
            name = "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(count))
            name += rng.choice(_CODAS)
        if len(name) > 2 and name.capitalize() not in _HELD:
            return name.capitalize()
